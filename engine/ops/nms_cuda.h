#pragma once

#include <ATen/core/Tensor.h>

namespace lockstep::ops {

/// batchedNms of CUDA tensors: boxes [R,4] float32, scores [R] float32, groups [R] int64,
/// contiguous. Only in programs built with LOCKSTEP_CUDA.
at::Tensor batchedNmsCuda(const at::Tensor& boxes, const at::Tensor& scores,
                          const at::Tensor& groups, double iouThreshold);

}  // namespace lockstep::ops
