#pragma once

#include <QString>

namespace lockstep::app {

/// "reading 3/72" of "[worker] reading 3/72", for a person who does not know our processes.
QString withoutOrigin(const QString& line);

}  // namespace lockstep::app
