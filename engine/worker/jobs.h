#pragma once

#include <variant>

#include "engine/config/experiment.h"
#include "engine/eval/parallel_images.h"
#include "engine/protocol/worker_messages.h"
#include "engine/train/mailbox.h"
#include "engine/train/phase.h"
#include "engine/worker/channel.h"
#include "engine/worker/worker_world.h"

/// The jobs of a worker, one function each. Each returns the worker's last message and throws
/// Error.
namespace lockstep::worker {

struct JobContext {
  const protocol::RankPlacement& placement;
  WorkerWorld& workerWorld;
  Channel& channel;
  train::Mailbox& mailbox;
  train::PhaseReport& phase;
};

protocol::Finished run(const protocol::TrainJob& job, const JobContext& context);
protocol::Finished run(const protocol::EvaluateJob& job, const JobContext& context);
protocol::Finished run(const protocol::PredictJob& job, const JobContext& context);
protocol::Finished run(const protocol::InspectJob& job, const JobContext& context);
protocol::Finished run(const protocol::ReplayJob& job, const JobContext& context);
protocol::Finished run(const protocol::CheckJob& job, const JobContext& context);
protocol::Finished run(const protocol::ShapesJob& job, const JobContext& context);
protocol::Finished run(const protocol::ImportJob& job, const JobContext& context);
protocol::Finished run(const protocol::ExportJob& job, const JobContext& context);
protocol::Finished run(const protocol::CheckDatasetJob& job, const JobContext& context);
protocol::Finished run(const protocol::PreviewJob& job, const JobContext& context);
protocol::Finished run(const protocol::InfoJob& job, const JobContext& context);

/// Rendezvous with the other ranks of the job.
dist::World& joinWorld(const JobContext& context);
/// Broadcasts the work from rank 0, the only rank that receives all of it.
protocol::Work sharedWork(dist::World& world, const protocol::Work& own);
template <typename Job>
Job sharedJob(dist::World& world, const Job& own) {
  return std::get<Job>(sharedWork(world, own));
}

/// Parses a job's experiment. Throws Error when it is invalid, which the supervisor has ruled out.
/// `isResume`: the weights come from a checkpoint, so model.weights may be missing.
config::Experiment experimentOf(const std::string& configYaml, bool isResume = false);
/// Throws UserError when the experiment does not set this split.
const config::DatasetSplit& splitOf(const config::Experiment& experiment, protocol::Split split);
/// Throws Error (ExitStatus::Killed) if the supervisor asked to stop: for jobs that make a folder,
/// which they remove then.
void throwIfStopped(train::Mailbox& mailbox);
/// Reports progress to the supervisor, at most ten times a second. Any thread, but not
/// concurrently.
eval::Progress progressTo(Channel& channel, const std::string& what);

}  // namespace lockstep::worker
