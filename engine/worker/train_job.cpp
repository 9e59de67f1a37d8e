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
  void onAnswer(const protocol::Answer& answer) override { channel_.send(answer); }
  void onLog(const protocol::WorkerLog& log) override { channel_.send(log); }

 private:
  Channel& channel_;
};

}  // namespace

protocol::Finished runTrain(const JobContext& context) {
  MessagingObserver observer(context.channel);
  const auto world = dist::makeWorldOfOne();
  train::Trainer trainer(experimentOf(context.job), run_folder::Layout(context.job.runFolder),
                         {*world, context.mailbox, context.phase, observer});
  if (!context.job.resumeFrom.empty()) trainer.resume(context.job.resumeFrom);
  const train::Trainer::Outcome outcome = trainer.run();
  return {outcome.step, outcome.stopped, ""};
}

}  // namespace lockstep::worker
