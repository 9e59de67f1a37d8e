#include "engine/scenes/made_scenes.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {
protocol::Finished run(const protocol::ShapesJob& job, const JobContext& context) {
  const eval::Progress progress = progressTo(context.channel, "generating");
  scenes::writeMadeScenes(
      {job.folder, job.trainImages, job.valImages, static_cast<std::uint64_t>(job.seed)},
      [&](int done, int all) {
        throwIfStopped(context.mailbox);
        progress(done, all);
      });
  return {};
}

}  // namespace lockstep::worker
