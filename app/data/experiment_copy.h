#pragma once

#include <QString>
#include <QTemporaryDir>

#include "engine/config/experiment.h"

namespace lockstep::app {

/// An experiment, saved or not, as a file for the engine; it is gone with this object. Throws Error
/// if it cannot be written.
class ExperimentCopy {
 public:
  explicit ExperimentCopy(const config::Experiment& experiment);

  QString file() const { return pathOf("experiment.yaml"); }
  /// Of another file beside it.
  QString pathOf(const char* name) const { return folder_.filePath(QLatin1String(name)); }

 private:
  QTemporaryDir folder_;
};

}  // namespace lockstep::app
