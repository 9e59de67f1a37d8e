#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/solver/optimizer.h"

namespace lockstep::solver {

/// EMA of the weights (solver.ema_decay), with the arithmetic of
/// torch.optim.swa_utils.get_ema_multi_avg_fn: the first update copies the weights, every later one
/// moves the average towards them by 1 - decay. Buffers are not averaged: batch-norm statistics are
/// running averages already.
class WeightAverage {
 public:
  WeightAverage(double decay, std::vector<Parameter> parameters);
  /// Call it after every optimizer step.
  void update();

  /// RAII: swaps the EMA weights into the model for its lifetime.
  class InPlace {
   public:
    explicit InPlace(WeightAverage& average) : average_(average) { average_.exchange(); }
    ~InPlace() { average_.exchange(); }
    InPlace(const InPlace&) = delete;
    InPlace& operator=(const InPlace&) = delete;

   private:
    WeightAverage& average_;
  };

  /// The trained weights, as `weight.PARAM`: a checkpoint saves them in addition to the average.
  NamedTensors trainedWeights() const;
  /// Resumes from a checkpoint, whose model weights are the average and whose trained weights are
  /// `saved`. Throws Error when a tensor is missing or does not have the expected shape. If `saved`
  /// is empty (a checkpoint without EMA), the average starts at the model's weights.
  void resume(const NamedTensors& saved);

 private:
  void exchange();

  double decay_;
  std::vector<Parameter> parameters_;
  std::vector<at::Tensor> averages_;
  bool isStarted_ = false;
};

/// Restores the trained weights when EMA has been turned off. Does nothing if `saved` is empty;
/// throws as WeightAverage::resume.
void restoreTrainedWeights(const NamedTensors& saved, const std::vector<Parameter>& parameters);

/// Removes the trained weights from the optimizer state of a checkpoint and returns them.
NamedTensors takeTrainedWeights(NamedTensors& optimizerState);

}  // namespace lockstep::solver
