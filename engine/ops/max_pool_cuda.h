#pragma once

#include <ATen/core/Tensor.h>

#include "engine/ops/pool_size.h"

/// maxPool3x3 of CUDA maps that are channels_last; only in programs built with LOCKSTEP_CUDA.
namespace lockstep::ops {

/// Fills out and places (uint8, 3 * row + column of the largest inside its window), like each
/// other.
void maxPoolCuda(const at::Tensor& x, const PoolSize& size, at::Tensor& out, at::Tensor& places);

/// Fills gradIn [N,C,H,W]; every element is added up by one thread, in a fixed order.
void maxPoolBackwardCuda(const at::Tensor& gradOut, const at::Tensor& places, const PoolSize& size,
                         at::Tensor& gradIn);

}  // namespace lockstep::ops
