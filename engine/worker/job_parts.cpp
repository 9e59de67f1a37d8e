// What several jobs need.
#include <chrono>
#include <memory>

#include "engine/base/error.h"
#include "engine/config/load.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {

JoinedWorld joinWorld(const JobContext& context) {
  dist::World& world = context.ownWorld.join(
      context.job, [&](int port) { context.channel.send(protocol::Listening{port}); });
  if (world.size() == 1) return {world, context.job};
  const std::string line = world.share(protocol::encode(protocol::SupervisorMessage(context.job)));
  auto job = std::get<protocol::Job>(protocol::decodeSupervisorMessage(line));
  job.machineRanks = context.job.machineRanks;
  job.gpu = context.job.gpu;
  job.gpuName = context.job.gpuName;
  return {world, std::move(job)};
}

config::Experiment experimentOf(const protocol::Job& job) {
  config::LoadedExperiment loaded = config::loadExperimentText(job.configYaml, "config.yaml");
  if (!job.resumeFrom.empty()) {  // the checkpoint has the weights; those of the start may be gone
    std::erase_if(loaded.issues,
                  [](const config::ConfigIssue& issue) { return issue.key == "model.weights"; });
  }
  loaded.throwIfFaulty();
  return loaded.experiment;
}

const config::DatasetPart& partOf(const config::Experiment& experiment, const std::string& split) {
  if (split != "val" && split != "train")
    throw base::mendable("--split " + split + ": there are train and val");
  const config::DatasetPart& part =
      split == "val" ? experiment.dataset.val : experiment.dataset.train;
  if (part.annotations.empty()) {
    throw base::mendable("dataset." + split +
                         ".annotations is not given in the experiment: there is nothing to read");
  }
  return part;
}

eval::Progress progressTo(Channel& channel, const std::string& what) {
  using Clock = std::chrono::steady_clock;
  return [&channel, what, last = std::make_shared<Clock::time_point>()](std::int64_t done,
                                                                        std::int64_t total) {
    if (done != total && Clock::now() - *last < std::chrono::milliseconds(100)) return;
    *last = Clock::now();
    channel.send(protocol::Progress{done, total, what});
  };
}

}  // namespace lockstep::worker
