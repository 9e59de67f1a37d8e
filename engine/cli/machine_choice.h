#pragma once

#include <filesystem>

#include "engine/config/experiment.h"

namespace lockstep::cli {

/// Turns `runtime.workers`, `device` and `cpu_threads` into what this machine has. A line on
/// standard error says when `device: auto` becomes the CPU. Throws Error (mendable) for a GPU that
/// is asked for and not there.
void resolveMachine(config::Experiment& experiment, const std::filesystem::path& workerProgram);

/// `--workers N`: more than one rank is not built yet. Throws Error (mendable).
void checkWorkers(int workers);

}  // namespace lockstep::cli
