#include <memory>
#include <tuple>

#include "engine/train/trainer.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {
namespace {

/// Tells the supervisor what training produces.
class MessagingObserver : public train::TrainingObserver {
 public:
  explicit MessagingObserver(Channel& channel) : channel_(channel) {}
  void onSteps(const protocol::ScalarBatch& batch) override {
    for (const protocol::ScalarBatch& part : protocol::splitBatch(batch)) channel_.send(part);
  }
  void onState(const protocol::WorkerState& state) override { channel_.send(state); }
  void onEvaluation(const protocol::EvaluationReady& evaluation) override {
    channel_.send(evaluation);
  }
  void onPredictions(const protocol::PredictionsReady& predictions) override {
    channel_.send(predictions);
  }
  void onCheckpoint(const protocol::CheckpointReady& checkpoint) override {
    channel_.send(checkpoint);
  }
  void onDivergence(const protocol::DivergenceReady& divergence) override {
    channel_.send(divergence);
  }
  void onBadImage(const protocol::BadImage& image) override { channel_.send(image); }
  void onAnswer(const protocol::Answer& answer) override { channel_.send(answer); }
  void onLog(const protocol::WorkerLog& log) override { channel_.send(log); }

 private:
  Channel& channel_;
};

/// Of ranks other than 0: what they know, rank 0 tells.
class SilentObserver : public train::TrainingObserver {
 public:
  void onSteps(const protocol::ScalarBatch&) override {}
  void onState(const protocol::WorkerState&) override {}
  void onEvaluation(const protocol::EvaluationReady&) override {}
  void onPredictions(const protocol::PredictionsReady&) override {}
  void onCheckpoint(const protocol::CheckpointReady&) override {}
  void onDivergence(const protocol::DivergenceReady&) override {}
  void onBadImage(const protocol::BadImage&) override {}
  void onAnswer(const protocol::Answer&) override {}
  void onLog(const protocol::WorkerLog&) override {}
};

}  // namespace

protocol::Finished runTrain(const JobContext& context) {
  const auto [world, job] = joinWorld(context);
  MessagingObserver messages(context.channel);
  SilentObserver silence;
  train::TrainingObserver* const observer =
      world.rank() == 0 ? static_cast<train::TrainingObserver*>(&messages) : &silence;
  context.phase.phase = "loading";
  auto trainer = std::make_unique<train::Trainer>(
      experimentOf(job), run_folder::Layout(job.runFolder),
      train::TrainerContext{world, context.mailbox, context.phase, *observer, job.gpu,
                            job.machineRanks, job.checkpointPatience});
  try {
    if (!job.resumeFrom.empty()) trainer->resume(job.resumeFrom);
    const train::Trainer::Outcome outcome = trainer->run();
    world.share("");  // no rank leaves before rank 0 has written its last file
    return {outcome.step, outcome.stopped, ""};
  } catch (...) {
    // Left as it is until the process ends: after an error of a GPU, or of a rank that is gone, its
    // tensors and groups would throw or wait for ever before the failure is said.
    std::ignore = trainer.release();
    throw;
  }
}

}  // namespace lockstep::worker
