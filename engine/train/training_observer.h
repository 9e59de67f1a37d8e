#pragma once

#include "engine/protocol/worker_messages.h"

namespace lockstep::train {

/// Learns what a training run produces. Called on the training thread, in order: the scalars of a
/// step come before an evaluation or a checkpoint of it. Observers may not change training.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void onSteps(const protocol::ScalarBatch& batch) = 0;
  virtual void onState(const protocol::WorkerState& state) = 0;
  virtual void onEvaluation(const protocol::EvaluationReady& evaluation) = 0;
  virtual void onPredictions(const protocol::PredictionsReady& predictions) = 0;
  virtual void onCheckpoint(const protocol::CheckpointReady& checkpoint) = 0;
  virtual void onDivergence(const protocol::DivergenceReady& divergence) = 0;
  virtual void onBadImage(const protocol::BadImage& image) = 0;
  virtual void onAnswer(const protocol::Answer& answer) = 0;
  virtual void onLog(const protocol::WorkerLog& log) = 0;
};

}  // namespace lockstep::train
