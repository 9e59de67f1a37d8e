#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "engine/ops/epilogue.h"

namespace lockstep::ops {

/// Convolution of x [N,C,H,W] with a square kernel and zero padding, and its epilogue.
/// Differentiable.
///
/// LibTorch's convolution with two exceptions. On a CPU, in fp32 and channels_last, the gradient of
/// a 3 x 3 weight is our own matrix product: always with AVX2, 1.4 to 3 times as fast; with AVX-512
/// for a 3 x 3 weight of many channels over few pixels (the last stages of a network on small
/// images), 1.3 to 2 times. On a GPU the bias is added in the fused epilogue. Uses SpareThreads
/// where gradients are not recorded.
at::Tensor conv2d(const at::Tensor& x, const at::Tensor& weight, std::int64_t stride,
                  std::int64_t padding, const Epilogue& epilogue = {});

namespace cpu {

/// The gradient [O,C,3,3] of the weight: the sum over all windows of x times gradOut [N,O,H',W']
/// there, both float32 and channels_last.
at::Tensor conv3x3WeightGradient(const at::Tensor& x, const at::Tensor& gradOut,
                                 std::int64_t stride, std::int64_t padding);

}  // namespace cpu

}  // namespace lockstep::ops
