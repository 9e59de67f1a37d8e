#pragma once

#include <QStringList>

namespace lockstep::app {

/// Names that tell files or folders apart: the last part of each path, with as many of its folders
/// before it as no other path ends with ("cars/experiment.yaml"). Equal paths have equal names.
QStringList distinctNames(const QStringList& paths);

}  // namespace lockstep::app
