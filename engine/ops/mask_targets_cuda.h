#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "engine/ops/mask_targets.h"
#include "engine/structures/ground_truth.h"

namespace lockstep::ops {

/// maskTargets of CUDA tensors, the same to the last bit; only in programs built with
/// LOCKSTEP_CUDA. Arguments as maskTargets', already checked. Indices that name no mask are not
/// found out.
at::Tensor maskTargetsCuda(const structures::GtMasks& masks, const MaskRegions& regions,
                           std::int64_t side);

}  // namespace lockstep::ops
