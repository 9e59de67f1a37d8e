#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/solver/loss_scaler.h"
#include "engine/solver/optimizer.h"

namespace lockstep::solver {

/// The optimizer step: unscales and clips the gradients, checks them for NaN and infinity, and
/// steps the optimizer or skips the step. All on the device, without synchronisation.
class WeightUpdate {
 public:
  /// scalesLoss: for fp16.
  WeightUpdate(const config::SolverConfig& config, std::vector<Parameter> parameters,
               bool scalesLoss);

  void zeroGradients() { optimizer_->zeroGradients(); }
  /// The scaled loss to call backward() on.
  at::Tensor scaled(const at::Tensor& loss) const { return scaler_ ? scaler_->scaled(loss) : loss; }

  struct Figures {
    at::Tensor gradientNorm;  ///< [] float64, before clipping; not finite where they overflowed
    at::Tensor hasDiverged;   ///< [] float32, 1: a loss or gradient was not finite, here or before
    at::Tensor lossScale;     ///< [] float32, of this step; undefined without loss scaling
    at::Tensor gradientSums;  ///< [P,2] float64, as of clipGradientNorm
    /// [W,3] float64, by ops::TensorSum: of the watched weights after the step, whose differences
    /// are the update; undefined unless asked for.
    at::Tensor weightSums{};
  };
  /// lossesNotFinite: [] float32, 0 or 1. From the first non-finite step on, weights no longer
  /// change. A gradient overflow caused by the loss scale does not count: only its step is skipped.
  /// withWeightSums: also computes weightSums.
  Figures apply(double learningRate, const at::Tensor& lossesNotFinite,
                bool withWeightSums = false);
  /// The parameters of weightSums, by their index; at first all.
  void watchWeights(const std::vector<std::size_t>& indices);

  const std::vector<Parameter>& parameters() const { return optimizer_->parameters(); }
  const std::vector<at::Tensor>& tensors() const { return tensors_; }
  /// The state of the optimizer and of the loss scaler.
  NamedTensors state() const;
  /// Resumes from a saved state(). Returns false, with only the loss scale restored, if it is from
  /// another optimizer or for other parameters. Throws Error when it is invalid.
  bool resume(NamedTensors saved);

 private:
  void keepWatchedWeights();

  std::unique_ptr<Optimizer> optimizer_;
  std::vector<at::Tensor> tensors_;
  std::vector<at::Tensor> watched_;   ///< those of tensors_ whose weights are summed
  std::vector<at::Tensor> previous_;  ///< their values before the step; empty until needed
  double clipNorm_;
  std::optional<LossScaler> scaler_;
  at::Tensor hasDiverged_;
};

}  // namespace lockstep::solver
