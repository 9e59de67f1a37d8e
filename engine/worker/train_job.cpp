#include <functional>
#include <memory>
#include <tuple>

#include "engine/train/trainer.h"
#include "engine/worker/jobs.h"
#include "engine/worker/prediction_picture.h"

namespace lockstep::worker {

protocol::Finished run(const protocol::TrainJob& own, const JobContext& context) {
  dist::World& world = joinWorld(context);
  const protocol::TrainJob job = sharedJob(world, own);
  // Messages are the same on all ranks; rank 0 sends them.
  const auto send = [&](const protocol::WorkerMessage& message) {
    if (world.rank() == 0) context.channel.send(message);
  };
  PredictionPicturePainter painter;
  const bool isResume = !job.resumeFrom.empty();
  context.phase.phase = protocol::Phase::Loading;
  auto trainer = std::make_unique<train::Trainer>(
      experimentOf(job.configYaml, isResume), run_folder::Layout(job.runFolder),
      train::TrainerContext{world, context.mailbox, context.phase, send, context.placement.gpu,
                            context.placement.machineRanks, job.checkpointPatience, job.isRangeTest,
                            std::bind_front(&PredictionPicturePainter::draw, &painter)});
  try {
    if (isResume) trainer->resume(job.resumeFrom);
    const train::Trainer::Outcome outcome = trainer->run();
    world.broadcastBytes("");  // barrier: no rank exits before rank 0 has written its last file
    return {.step = outcome.step, .stopped = outcome.stopped};
  } catch (...) {
    // Leaked on purpose: after a CUDA error or the loss of a rank, destroying its tensors and
    // process groups would throw or hang before the failure is reported.
    std::ignore = trainer.release();
    throw;
  }
}

}  // namespace lockstep::worker
