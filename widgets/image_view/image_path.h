#pragma once

#include <QString>

namespace lockstep::widgets {

/// The file of an image whose name is relative to the folder. `copies`: to where files are brought
/// from elsewhere; their names may be of anybody, who must not choose what else is shown. Empty
/// result: the name leads out of the copies.
QString imagePath(const QString& folder, const QString& name, const QString& copies);

}  // namespace lockstep::widgets
