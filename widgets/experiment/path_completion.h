#pragma once

#include <QString>
#include <QStringList>

namespace lockstep::widgets {

/// The paths that a typed one may become, written as it is: folders end with a slash. `folder`:
/// where relative paths start. At most 50, sorted; hidden ones only after a dot. Blocks: reads
/// the folder.
QStringList pathsBeginningWith(const QString& folder, const QString& typed, bool foldersOnly);

}  // namespace lockstep::widgets
