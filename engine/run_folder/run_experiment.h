#pragma once

#include "engine/config/experiment.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// Error message for a folder without run.json: `rs: not a run folder (no run.json)…`, with the
/// command that starts a run that was interrupted before it started.
std::string notARunMessage(const fs::path& folder);

/// Throws UserError when config.yaml is missing, invalid or empty (a machine crash can leave an
/// empty one, which would parse as the defaults), with the command that resumes without it. Missing
/// input paths are not an error: data and initial weights may have moved.
void requireValidConfig(const Layout& layout);

/// The experiment of a run, from its config.yaml. Throws as requireValidConfig(), with file, line
/// and problem of each error on a line of its own.
config::Experiment readRunExperiment(const Layout& layout);

}  // namespace lockstep::run_folder
