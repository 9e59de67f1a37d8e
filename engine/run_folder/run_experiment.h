#pragma once

#include "engine/config/experiment.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// The experiment of a run, from its config.yaml. What it was trained from may have moved since: a
/// path that leads nowhere is no fault. Throws Error (mendable) naming file, line and what is wrong
/// with them, one a line.
config::Experiment readRunExperiment(const Layout& layout);

}  // namespace lockstep::run_folder
