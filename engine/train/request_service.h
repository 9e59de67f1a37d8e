#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/train/checkpoint_writer.h"
#include "engine/train/held_out_evaluation.h"
#include "engine/train/loaded_model.h"
#include "engine/train/step_runner.h"
#include "engine/train/training.h"
#include "engine/train/training_model.h"

namespace lockstep::train {

/// Serves client requests between steps: pause, resume, stop, a checkpoint, an evaluation,
/// predictions. All ranks serve the same requests at the same step. Its public functions are called
/// on all ranks.
class RequestService {
 public:
  RequestService(Training& training, TrainingModel& model, StepRunner& steps,
                 HeldOutEvaluation& heldOut, CheckpointWriter& checkpoints);

  /// Before a step: starts the all-reduce whether any rank has a request. Does not block.
  void beginCheck();
  /// After the step: serves the requests, and blocks while paused. Returns whether to stop.
  bool serve();

 private:
  /// The requests of all ranks, broadcast.
  std::vector<protocol::Control> agreedRequests();
  std::vector<protocol::Control> shareRequests();
  std::vector<protocol::Control> requestsWhilePaused();
  void setPaused(bool isPaused);
  void answer(const protocol::Control& control);
  // The requested action of the control `id`; returns the path of the file with the answer.
  std::string run(const protocol::Evaluate&, const std::string& id);
  std::string run(const protocol::SaveCheckpoint&, const std::string& id);
  std::string run(const protocol::Predict& predict, const std::string& id);
  std::string run(const protocol::Explain& explain, const std::string& id);
  /// The answer of rank 0 alone, about images and with the request's weights: `work` makes its
  /// text.
  template <typename Asked, typename Work>
  std::string answerFile(const Asked& asked, const std::string& id, const Work& work);
  /// The model with the requested weights; the last one is cached.
  const LoadedModel& modelWith(const std::string& weights);

  Training& training_;
  TrainingModel& model_;
  StepRunner& steps_;
  HeldOutEvaluation& heldOut_;
  CheckpointWriter& checkpoints_;
  std::optional<LoadedModel> loaded_;
  std::string loadedWeights_;
};

}  // namespace lockstep::train
