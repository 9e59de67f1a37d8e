#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/supervisor/local_ranks.h"

namespace lockstep::cli {

/// The ranks that the command line and the launcher ask for.
struct RankRequest {
  std::optional<int> workers;  ///< --workers N
  supervisor::ClusterEnvironment cluster{};
};

/// Resolves `runtime.workers` (to the world size), `device`, `precision` and `cpu_threads` for this
/// machine, and returns the ranks to start here. Logs when `device: auto` becomes the CPU, and what
/// `precision: auto` becomes. Throws UserError for an unavailable GPU and for more ranks than the
/// machine supports.
supervisor::LocalRanks resolveMachine(config::Experiment& experiment,
                                      const std::filesystem::path& workerProgram,
                                      const RankRequest& request);

/// The GPUs that ranks would get here without a launcher, as far as is known without starting a
/// worker; empty: the CPU.
std::vector<supervisor::GpuDevice> expectedDevices(const config::RuntimeConfig& runtime);

/// The ranks of a node other than 0, which does not know the experiment: `--workers`, else one per
/// GPU, else one. Throws UserError.
supervisor::LocalRanks ranksOfFollower(const RankRequest& request);

/// Throws UserError if --workers is less than 1 or contradicts the launcher.
void checkWorkers(const RankRequest& request);

}  // namespace lockstep::cli
