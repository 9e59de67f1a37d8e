#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/ops/mask_targets.h"

namespace lockstep::ops {

/// maskTargets of CUDA tensors; only in programs built with LOCKSTEP_CUDA. Arguments as
/// maskTargets', already checked; masks contiguous. Indices that name no mask are not found out.
at::Tensor maskTargetsCuda(const std::vector<at::Tensor>& masks, const MaskRegions& regions,
                           std::int64_t side);

}  // namespace lockstep::ops
