#pragma once

#include "engine/config/experiment.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// A crash of the machine may leave an empty config.yaml, and the defaults that would be read from
/// it are no run's. Throws Error (mendable) that says how to go on.
void refuseEmptyConfig(const Layout& layout);

/// The experiment of a run, from its config.yaml. What it was trained from may have moved since: a
/// path that leads nowhere is no fault. Throws Error (mendable) naming file, line and what is wrong
/// with them, one a line.
config::Experiment readRunExperiment(const Layout& layout);

}  // namespace lockstep::run_folder
