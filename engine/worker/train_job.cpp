#include <memory>
#include <tuple>

#include "engine/train/trainer.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {

protocol::Finished run(const protocol::TrainJob& own, const JobContext& context) {
  dist::World& world = joinWorld(context);
  const protocol::TrainJob job = sharedJob(world, own);
  // Messages are the same on all ranks; rank 0 sends them.
  const auto send = [&](const protocol::WorkerMessage& message) {
    if (world.rank() == 0) context.channel.send(message);
  };
  const bool goesOn = !job.resumeFrom.empty();
  context.phase.phase = protocol::Phase::Loading;
  auto trainer = std::make_unique<train::Trainer>(
      experimentOf(job.configYaml, goesOn), run_folder::Layout(job.runFolder),
      train::TrainerContext{world, context.mailbox, context.phase, send, context.place.gpu,
                            context.place.machineRanks, job.checkpointPatience});
  try {
    if (goesOn) trainer->resume(job.resumeFrom);
    const train::Trainer::Outcome outcome = trainer->run();
    world.share("");  // no rank leaves before rank 0 has written its last file
    return {.step = outcome.step, .stopped = outcome.stopped};
  } catch (...) {
    // Left as it is until the process ends: after an error of a GPU, or of a rank that is gone, its
    // tensors and groups would throw or wait for ever before the failure is said.
    std::ignore = trainer.release();
    throw;
  }
}

}  // namespace lockstep::worker
