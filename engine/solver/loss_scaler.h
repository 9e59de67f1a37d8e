#pragma once

#include <torch/types.h>

#include <vector>

#include "engine/solver/optimizer.h"

namespace lockstep::solver {

/// Dynamic loss scaling for fp16, with the arithmetic of torch.amp.GradScaler: the scale begins at
/// 65536, is halved by a step whose gradients overflow and doubled by 2000 in a row that do not;
/// but it never falls below 1. It lives on the device, and nobody waits for it.
class LossScaler {
 public:
  explicit LossScaler(const at::Device& device);
  at::Tensor scaled(const at::Tensor& loss) const { return loss * scale_; }
  /// Divides the gradients in place; infinite ones stay so.
  void unscale(const std::vector<at::Tensor>& parameters) const;
  /// 1 where the scale can fall no further, so that an overflow is not its fault: [] float32.
  at::Tensor isAtMinimum() const;
  /// After a step; hasOverflowed: [] float32, 0 or 1.
  void update(const at::Tensor& hasOverflowed);
  /// [] float32, not to be changed.
  const at::Tensor& scale() const { return scale_; }

  /// `loss_scale` and `loss_scale.steps`, since it changed.
  NamedTensors state() const;
  /// Nothing to do without any. Throws Error when one is missing or of another shape.
  void loadState(const NamedTensors& saved);

 private:
  at::Tensor scale_, steps_;
};

/// Takes a LossScaler's state out of what a checkpoint keeps of the optimizer.
NamedTensors takeLossScale(NamedTensors& optimizerState);

}  // namespace lockstep::solver
