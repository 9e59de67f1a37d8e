#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/ops/group_norm.h"

/// groupNorm of CUDA maps that are channels_last, without gradients; only in programs built with
/// LOCKSTEP_CUDA. Statistics, weight and bias are float32 (float64 for maps of it).
namespace lockstep::ops {

/// Whether the kernels take groups of so many channels.
bool canGroupNormCuda(std::int64_t channels, std::int64_t groups);

struct GroupNormResult {
  at::Tensor out;      ///< [N,C,H,W]
  at::Tensor moments;  ///< [N,G,2], mean and reciprocal deviation
  at::Tensor affine;   ///< [N,2,C], factor and shift
};

/// residual undefined: none.
GroupNormResult groupNormCuda(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                              const at::Tensor& residual, const GroupNormOptions& options);

struct GroupNormSaved {
  at::Tensor x, weight, moments, affine;
  at::Tensor out;  ///< where a ReLU followed a residual; else undefined
  std::int64_t groups;
  bool hasRelu, hasResidual;
};

/// Gradients of x, weight, bias and residual (undefined without one). grad channels_last. Every sum
/// has a fixed order.
std::vector<at::Tensor> groupNormBackwardCuda(const at::Tensor& grad, const GroupNormSaved& saved);

}  // namespace lockstep::ops
