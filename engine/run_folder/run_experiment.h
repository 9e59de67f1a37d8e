#pragma once

#include "engine/config/experiment.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// Why a folder is not taken for a run, and how to begin one that was ended before it had begun:
/// `rs: is no run folder (no run.json)…`
std::string noRunText(const fs::path& folder);

/// A crash of the machine may leave an empty config.yaml, and the defaults that would be read from
/// it are no run's. Throws Error (mendable) for one that is missing, empty or has faults, with the
/// way to go on without it. What the run was trained from may have moved since: a path that leads
/// nowhere is no fault.
void refuseFaultyConfig(const Layout& layout);

/// The experiment of a run, from its config.yaml. Throws as refuseFaultyConfig(), naming file, line
/// and what is wrong with them, one a line.
config::Experiment readRunExperiment(const Layout& layout);

}  // namespace lockstep::run_folder
