#pragma once

#include <ATen/core/Tensor.h>

namespace lockstep::ops {

/// x [...,C] times the transposed weight [O,C], plus bias [O]: LibTorch's, on SpareThreads where
/// gradients are not recorded. Differentiable.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace lockstep::ops
