#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/solver/loss_scaler.h"
#include "engine/solver/optimizer.h"

namespace lockstep::solver {

/// From gradients to weights: unscales and clips the gradients, checks them for NaN and infinity,
/// and steps the optimizer or skips the step. All of it on the device, without a synchronisation.
class WeightUpdate {
 public:
  /// scalesLoss: for fp16.
  WeightUpdate(const config::SolverConfig& config, std::vector<Parameter> parameters,
               bool scalesLoss);

  void zeroGradients() { optimizer_->zeroGradients(); }
  /// What is to go backward for a loss.
  at::Tensor scaled(const at::Tensor& loss) const { return scaler_ ? scaler_->scaled(loss) : loss; }

  struct Figures {
    at::Tensor gradientNorm;  ///< [] float64, before clipping; not finite where they overflowed
    at::Tensor hasDiverged;   ///< [] float32, 1: a loss or gradient was not finite, here or before
    at::Tensor lossScale;     ///< [] float32, that of this step; undefined without one
  };
  /// lossesNotFinite: [] float32, 0 or 1. From the first step on that diverges no weight changes
  /// any more. A gradient that overflows because of the loss scale does not count: its step alone
  /// is skipped.
  Figures apply(double learningRate, const at::Tensor& lossesNotFinite);

  const std::vector<Parameter>& parameters() const { return optimizer_->parameters(); }
  const std::vector<at::Tensor>& tensors() const { return tensors_; }
  /// The optimizer's and the loss scale's.
  NamedTensors state() const;
  /// Goes on from state(). False, with nothing changed but the loss scale: it is that of another
  /// optimizer or of other parameters. Throws Error when it is broken.
  bool resume(NamedTensors saved);

 private:
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<at::Tensor> tensors_;
  double clipNorm_;
  std::optional<LossScaler> scaler_;
  at::Tensor hasDiverged_;
};

}  // namespace lockstep::solver
