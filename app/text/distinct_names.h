#pragma once

#include <QStringList>

namespace lockstep::app {

/// Shortest ends of paths that are unique: the file name, with as many folders as needed
/// ("cars/experiment.yaml"). Equal paths have equal names.
QStringList distinctNames(const QStringList& paths);

}  // namespace lockstep::app
