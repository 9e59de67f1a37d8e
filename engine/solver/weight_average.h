#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/solver/optimizer.h"

namespace lockstep::solver {

/// EMA of the weights (solver.ema_decay), with the arithmetic of
/// torch.optim.swa_utils.get_ema_multi_avg_fn: the first update takes the weights, every other one
/// moves the average by 1 - decay towards them. Buffers are not averaged: those of norms average
/// themselves.
class WeightAverage {
 public:
  WeightAverage(double decay, std::vector<Parameter> parameters);
  /// After every step of the optimizer.
  void update();

  /// Puts the average in the place of the model's weights while it lives.
  class InPlace {
   public:
    explicit InPlace(WeightAverage& average) : average_(average) { average_.exchange(); }
    ~InPlace() { average_.exchange(); }
    InPlace(const InPlace&) = delete;
    InPlace& operator=(const InPlace&) = delete;

   private:
    WeightAverage& average_;
  };

  /// The weights that are trained, as `weight.PARAM`: a checkpoint keeps them beside the average.
  NamedTensors trainedWeights() const;
  /// Goes on: the model's weights, as a checkpoint has them, are the average, and `saved` those
  /// that are trained. Throws Error when one is missing or of another shape. Without any (a run
  /// that did not average) the average begins at the model's weights.
  void resume(const NamedTensors& saved);

 private:
  void exchange();

  double decay_;
  std::vector<Parameter> parameters_;
  std::vector<at::Tensor> averages_;
  bool isStarted_ = false;
};

/// Puts trained weights back where there is no average any more. Nothing to do without any; throws
/// as WeightAverage::resume.
void restoreTrainedWeights(const NamedTensors& saved, const std::vector<Parameter>& parameters);

/// Takes the trained weights out of what a checkpoint keeps of the optimizer.
NamedTensors takeTrainedWeights(NamedTensors& optimizerState);

}  // namespace lockstep::solver
