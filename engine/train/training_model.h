#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/checkpoint/checkpoint.h"
#include "engine/model/mask_rcnn.h"
#include "engine/solver/weight_average.h"
#include "engine/solver/weight_update.h"
#include "engine/train/training.h"

namespace lockstep::train {

/// The model of a training, in training mode, with its optimizer and EMA.
class TrainingModel {
 public:
  explicit TrainingModel(const Training& training);

  /// Rank 0 reads model.weights; every rank begins with its weights. Throws Error.
  void loadInitialWeights();
  /// Resumes from a checkpoint's tensors. The state of another optimizer or of other trained
  /// parameters, as a fork may have, is left out with a warning. Throws Error naming `folder`.
  void resume(checkpoint::Checkpoint saved, const std::filesystem::path& folder);

  const std::shared_ptr<model::MaskRcnn>& model() const { return model_; }
  solver::WeightUpdate& update() { return *update_; }
  /// After each step of the optimizer.
  void updateAverage();
  /// RAII: swaps in the EMA weights; null without solver.ema_decay.
  std::unique_ptr<solver::WeightAverage::InPlace> averageInPlace() const;
  /// Of the optimizer, with the trained weights beside the EMA's.
  solver::NamedTensors optimizerState() const;
  /// Broadcasts rank 0's batch-norm statistics.
  void shareNormStatistics();
  /// Limits of runtime.cuda_graphs for these batches; empty: none, or it is off.
  std::string cudaGraphWarning() const;

 private:
  void resumeOptimizer(solver::NamedTensors saved, const std::string& savedOptimizer);

  const Training& training_;
  std::shared_ptr<model::MaskRcnn> model_;
  std::unique_ptr<solver::WeightUpdate> update_;
  std::unique_ptr<solver::WeightAverage> average_;  ///< with solver.ema_decay
};

}  // namespace lockstep::train
