#pragma once

#include "engine/ops/paste_masks.h"

namespace lockstep::ops {

/// pasteMasks of CUDA tensors, arguments already checked and contiguous; only in programs built
/// with LOCKSTEP_CUDA.
std::vector<MaskRuns> pasteMasksCuda(const at::Tensor& probs, const at::Tensor& boxesXyxy,
                                     const ImageSize& size);

}  // namespace lockstep::ops
