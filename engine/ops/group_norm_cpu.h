#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/ops/group_norm.h"

/// groupNorm of float32 and bfloat16 maps on a CPU that are channels_last, without gradients.
/// Weight and bias are float32, and so is what is computed in.
namespace lockstep::ops {

/// Mean and reciprocal deviation of every group of every image, [N][G].
struct GroupMoments {
  std::vector<double> mean, scale;
};

/// The normalisation as x * factor + shift, [N][C].
struct GroupAffine {
  std::vector<float> factor, shift;
};

struct GroupNormForward {
  at::Tensor out;
  GroupMoments moments;
  GroupAffine affine;
};

/// residual undefined: none.
GroupNormForward groupNormOnCpu(const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor& bias, const at::Tensor& residual,
                                const GroupNormOptions& options);

struct GroupNormCpuSaved {
  at::Tensor x, weight;
  at::Tensor output;  ///< only with ReLU and residual; without a residual x says what the ReLU let
                      ///< pass
  GroupMoments moments;
  GroupAffine affine;  ///< only with ReLU and no residual
  std::int64_t groups;
  bool hasResidual;
};

/// Gradients of x, weight, bias and residual (undefined without one). grad channels_last.
std::vector<at::Tensor> groupNormBackwardOnCpu(const at::Tensor& grad,
                                               const GroupNormCpuSaved& saved);

}  // namespace lockstep::ops
