#include "engine/cli/start_queued.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "engine/base/error.h"
#include "engine/base/host.h"
#include "engine/base/log.h"
#include "engine/base/standard_streams.h"
#include "engine/cli/training_process.h"
#include "engine/supervisor/cluster_environment.h"
#include "engine/supervisor/detach.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

std::vector<run_folder::RunSummary> runsToQueue(const fs::path& parent) {
  std::vector<run_folder::RunSummary> runs = run_folder::listRuns(parent);
  std::erase_if(runs, [](const run_folder::RunSummary& run) {
    return run.alive || !run_folder::isInQueue(run.info);
  });
  std::ranges::sort(runs, {}, [](const run_folder::RunSummary& run) {
    return std::tuple(*run.info.queuePosition, run.info.created, run.folder);
  });
  return runs;
}

/// Its devices are those of its machine.
bool isOfOtherHost(const run_folder::RunSummary& run) {
  if (run.info.host.empty() || run.info.host == base::hostName()) return false;
  base::logWarning("runs", run.folder.string() + ": is queued on " + run.info.host +
                               "; `lockstep-engine train RUN --resume --queue` queues it here");
  return true;
}

}  // namespace

int startQueuedRuns(const fs::path& parent) {
  TrainOptions options;
  options.ranks.cluster =
      supervisor::detectCluster([](const char* name) { return std::getenv(name); });
  options.resume = options.queue = options.detach = true;
  supervisor::closeInheritedDescriptors();
  auto status = ExitStatus::Done;
  for (const run_folder::RunSummary& run : runsToQueue(parent)) {
    if (isOfOtherHost(run)) continue;
    options.target = run.folder.string();
    try {
      const auto started = trainDetached(planTraining(options));
      // The child is done, or a signal stopped the parent.
      if (!started.isParent || started.status != 0) return started.status;
    } catch (const Error& error) {
      base::printMessage(error.what());
      status = ExitStatus::Failed;
    }
  }
  return static_cast<int>(status);
}

}  // namespace lockstep::cli
