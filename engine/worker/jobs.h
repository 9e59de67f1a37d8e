#pragma once

#include <variant>

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
  const protocol::RankPlace& place;
  OwnWorld& ownWorld;
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
protocol::Finished run(const protocol::InfoJob& job, const JobContext& context);

/// Joins the ranks of a job that may have several.
dist::World& joinWorld(const JobContext& context);
/// The work as rank 0 has it: only that one is told all.
protocol::Work sharedWork(dist::World& world, const protocol::Work& own);
template <typename Job>
Job sharedJob(dist::World& world, const Job& own) {
  return std::get<Job>(sharedWork(world, own));
}

/// The experiment of a job. Throws Error when the text has faults (the supervisor made it: it
/// should not). `goesOn`: from a checkpoint, which has the weights; those of the start may be gone.
config::Experiment experimentOf(const std::string& configYaml, bool goesOn = false);
/// Throws Error (mendable) when the experiment does not give this part.
const config::DatasetSplit& partOf(const config::Experiment& experiment, protocol::Split split);
/// Reports progress to the supervisor, at most ten times a second. Any thread, one at a time.
eval::Progress progressTo(Channel& channel, const std::string& what);

}  // namespace lockstep::worker
