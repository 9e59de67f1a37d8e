#pragma once

#include <ATen/core/Tensor.h>

namespace lockstep::ops {

/// Max pooling with kernel 3, stride 2 and padding 1, as in a ResNet's stem. x [N,C,H,W] ->
/// [N,C,ceil(H/2),ceil(W/2)]. Differentiable; of equal values the first (row-major) gets the
/// gradient, as in LibTorch.
///
/// For channels_last maps on a GPU, and float32 ones on a CPU, it uses our own kernels, which save
/// one byte per output instead of eight for the backward pass, whose order of summation is fixed.
/// In all other cases LibTorch's operator is used.
at::Tensor maxPool3x3(const at::Tensor& x);

/// Kernels, for maps that are channels_last; the CPU's for float32. Forward fills out and argmax
/// (uint8, argmax of the window: 3 * row + column), of the same shape; backward fills gradIn
/// [N,C,H,W], of which every element is accumulated by one thread, in a fixed order.
using MaxPoolKernel = void(const at::Tensor& x, at::Tensor& out, at::Tensor& argmax);
using MaxPoolBackwardKernel = void(const at::Tensor& gradOut, const at::Tensor& argmax,
                                   at::Tensor& gradIn);
namespace cpu {
MaxPoolKernel maxPool;
MaxPoolBackwardKernel maxPoolBackward;
}  // namespace cpu
namespace cuda {
MaxPoolKernel maxPool;
MaxPoolBackwardKernel maxPoolBackward;
}  // namespace cuda

}  // namespace lockstep::ops
