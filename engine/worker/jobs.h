#pragma once

#include "engine/config/experiment.h"
#include "engine/eval/parallel_images.h"
#include "engine/protocol/worker_messages.h"
#include "engine/train/mailbox.h"
#include "engine/train/phase.h"
#include "engine/worker/channel.h"
#include "engine/worker/own_world.h"

/// What a worker can be asked to do; one function a job. Each returns the last message and throws
/// Error.
namespace lockstep::worker {

struct JobContext {
  const protocol::Job& job;
  OwnWorld& ownWorld;
  Channel& channel;
  train::Mailbox& mailbox;
  train::PhaseReport& phase;
};

protocol::Finished runTrain(const JobContext& context);
protocol::Finished runEvaluate(const JobContext& context);
protocol::Finished runPredict(const JobContext& context);
/// Answers requests until the supervisor says stop or is gone.
protocol::Finished runInspect(const JobContext& context);
protocol::Finished runShapes(const JobContext& context);
protocol::Finished runInfo(const JobContext& context);
/// Runs the batch of a step again.
protocol::Finished runReplay(const JobContext& context);
/// Whether training can start from model.weights, or go on from the checkpoint `resumeFrom`, and
/// whether some images of both parts can be read. The result says what cannot:
/// {"weights": {"fault", "status"}, "train": {"looked_at", "all", "faults": {"count", "ids",
/// "first"}, "dark": …}, "val": …}.
protocol::Finished runCheck(const JobContext& context);

/// The ranks of a job that may have several, and the job as rank 0 has it: only that one is told
/// all.
struct JoinedWorld {
  dist::World& world;
  protocol::Job job;
};
JoinedWorld joinWorld(const JobContext& context);

/// The experiment of a job. Throws Error when the text has faults (the supervisor made it: it
/// should not).
config::Experiment experimentOf(const protocol::Job& job);
/// The held-out or training part by its name. Throws Error (mendable) when the experiment does not
/// give it.
const config::DatasetPart& partOf(const config::Experiment& experiment, const std::string& split);
/// Reports progress to the supervisor, at most ten times a second. Any thread, one at a time.
eval::Progress progressTo(Channel& channel, const std::string& what);

}  // namespace lockstep::worker
