#pragma once

#include "engine/ops/sampling.h"

namespace lockstep::ops {

/// Most slots of a sample that sampleBalancedCuda can fill; only in programs built with
/// LOCKSTEP_CUDA.
std::int64_t mostSampledCuda();

/// sampleBalanced of CUDA tensors, arguments already checked, in one launch or, of more than some
/// thousand candidates, two. Does not wait for the device.
BalancedSelection sampleBalancedCuda(const at::Tensor& labels, const SampleCounts& counts,
                                     const SamplingKeys& keys, const at::Tensor& numbers);

}  // namespace lockstep::ops
