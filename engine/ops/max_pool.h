#pragma once

#include <ATen/core/Tensor.h>

namespace lockstep::ops {

/// The largest of 3 x 3, every second pixel, one pixel of padding: the pooling of a ResNet's stem.
/// x [N,C,H,W] -> [N,C,ceil(H/2),ceil(W/2)]. Differentiable; of equal values the first (row by row)
/// gets the gradient, as in LibTorch.
///
/// For maps on a GPU and float32 ones on a CPU, in channels_last, these are our own kernels, which
/// remember a byte per output instead of eight and whose backward pass writes every gradient once,
/// added up in a fixed order. Everywhere else it is LibTorch's.
at::Tensor maxPool3x3(const at::Tensor& x);

}  // namespace lockstep::ops
