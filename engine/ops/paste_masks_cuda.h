#pragma once

#include "engine/ops/paste_masks.h"
#include "engine/structures/image_size.h"

namespace lockstep::ops {

/// pasteMasks of CUDA tensors, arguments already checked and contiguous; only in programs built
/// with LOCKSTEP_CUDA.
std::vector<MaskRuns> pasteMasksCuda(const at::Tensor& probs, const at::Tensor& boxesXyxy,
                                     const structures::ImageSize& size);

}  // namespace lockstep::ops
