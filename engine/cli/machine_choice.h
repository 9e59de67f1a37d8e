#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/supervisor/local_ranks.h"

namespace lockstep::cli {

/// What the command line and the launcher say about ranks.
struct RankRequest {
  std::optional<int> workers;  ///< --workers N
  supervisor::ClusterEnvironment cluster{};
};

/// Turns `runtime.workers`, `device`, `precision` and `cpu_threads` into what this machine has,
/// workers being those of the whole world, and returns the ranks to start here. A line on standard
/// error says when `device: auto` becomes the CPU, and what `precision: auto` becomes. Throws Error
/// (mendable) for a GPU that is asked for and not there, and for ranks that cannot be had.
supervisor::LocalRanks resolveMachine(config::Experiment& experiment,
                                      const std::filesystem::path& workerProgram,
                                      const RankRequest& request);

/// The GPUs that ranks would have here without a launcher, as far as that can be said without
/// asking the worker; none: on the CPU.
std::vector<supervisor::GpuDevice> foreseeDevices(const config::RuntimeConfig& runtime);

/// The ranks of a node other than 0, which is told no experiment: as `--workers` says, else one on
/// each GPU, else one. Throws Error (mendable).
supervisor::LocalRanks ranksOfFollower(const RankRequest& request);

/// Throws Error (mendable) for a number of ranks that is none, or not the launcher's.
void checkWorkers(const RankRequest& request);

}  // namespace lockstep::cli
