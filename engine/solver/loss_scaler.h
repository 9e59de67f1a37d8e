#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/solver/optimizer.h"

namespace lockstep::solver {

/// Dynamic loss scaling for fp16, with the arithmetic of torch.amp.GradScaler: the scale starts at
/// 65536, is halved after a step whose gradients overflow and doubled after 2000 consecutive steps
/// without overflow, but it never falls below 1. It stays on the device; no synchronisation.
class LossScaler {
 public:
  explicit LossScaler(const at::Device& device);
  at::Tensor scaled(const at::Tensor& loss) const { return loss.mul(scale_); }
  /// Divides the gradients by the scale in place; infinite ones stay infinite.
  void unscale(const std::vector<at::Tensor>& parameters) const;
  /// 1 if the scale is at its minimum, so that an overflow is not caused by it: [] float32.
  at::Tensor isAtMinimum() const;
  /// After a step; hasOverflowed: [] float32, 0 or 1.
  void update(const at::Tensor& hasOverflowed);
  /// [] float32; do not modify.
  const at::Tensor& scale() const { return scale_; }

  /// `loss_scale`, and `loss_scale.steps`: steps since it changed.
  NamedTensors state() const;
  /// Does nothing if `saved` is empty. Throws Error when a tensor is missing or does not have the
  /// expected shape.
  void loadState(const NamedTensors& saved);

 private:
  at::Tensor scale_, steps_;
};

/// Removes a LossScaler's state from the optimizer state of a checkpoint and returns it.
NamedTensors takeLossScale(NamedTensors& optimizerState);

}  // namespace lockstep::solver
