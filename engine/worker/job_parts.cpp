// Helpers shared by several jobs.
#include <chrono>
#include <memory>

#include "engine/base/error.h"
#include "engine/config/load.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {

dist::World& joinWorld(const JobContext& context) {
  return context.workerWorld.join(
      context.placement, [&](int port) { context.channel.send(protocol::Listening{port}); });
}

protocol::Work sharedWork(dist::World& world, const protocol::Work& own) {
  if (world.size() == 1) return own;
  const std::string line =
      world.broadcastBytes(protocol::encode(protocol::SupervisorMessage(protocol::Job{{}, own})));
  return std::get<protocol::Job>(protocol::decodeSupervisorMessage(line)).work;
}

config::Experiment experimentOf(const std::string& configYaml, bool isResume) {
  config::LoadedExperiment loaded = config::loadExperimentText(configYaml, "config.yaml");
  if (isResume) {
    std::erase_if(loaded.issues,
                  [](const config::ConfigIssue& issue) { return issue.key == "model.weights"; });
  }
  loaded.throwOnError();
  return loaded.experiment;
}

const config::DatasetSplit& splitOf(const config::Experiment& experiment, protocol::Split split) {
  const config::DatasetSplit& files =
      split == protocol::Split::Val ? experiment.dataset.val : experiment.dataset.train;
  if (files.annotations.empty()) {
    throw UserError(std::string("dataset.") + base::textOf(split) +
                    ".annotations: not set in the experiment; set it");
  }
  return files;
}

void throwIfStopped(train::Mailbox& mailbox) {
  for (const protocol::Control& control : mailbox.take()) {
    if (std::holds_alternative<protocol::Stop>(control.action))
      throw Error("stopped", ExitStatus::Killed);
  }
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
