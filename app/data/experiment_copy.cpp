#include "app/data/experiment_copy.h"

#include "engine/base/atomic_file.h"
#include "engine/config/load.h"

namespace lockstep::app {

ExperimentCopy::ExperimentCopy(const config::Experiment& experiment) {
  base::writeFileAtomically(file().toStdString(), config::writeExperiment(experiment));
}

}  // namespace lockstep::app
