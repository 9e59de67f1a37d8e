#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "engine/ops/epilogue.h"

namespace lockstep::ops {

/// Square convolution with `padding` zeros around x [N,C,H,W], and what follows it.
/// Differentiable.
///
/// LibTorch's, but for two things. On a CPU, in channels_last, the gradient of a wide 3 x 3 weight
/// over few pixels (the last stages of a network on small images) is a product of matrices of
/// ours, 1.3 to 2 times as fast. On a GPU the bias is added with the rest of the epilogue.
at::Tensor conv2d(const at::Tensor& x, const at::Tensor& weight, std::int64_t stride,
                  std::int64_t padding, const Epilogue& epilogue = {});

}  // namespace lockstep::ops
