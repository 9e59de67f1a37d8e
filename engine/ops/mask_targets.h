#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "engine/structures/ground_truth.h"

namespace lockstep::ops {

/// Boxes of any images, each with one of its image's objects. Letters: P regions.
struct MaskRegions {
  at::Tensor boxesXyxy;  ///< [P,4] float32 in px of the masks
  at::Tensor images;     ///< [P] int64; -1: not there, its target is 0
  at::Tensor objects;    ///< [P] int64, index among the objects of the image
};

/// Soft mask targets as torchvision's `project_masks_on_boxes`: RoIAlign (unaligned, as many
/// samples as the box has pixels) of each box out of its object's mask -> [P,side,side] float32.
/// Reads the bytes as they are; nothing full-size is made.
at::Tensor maskTargets(const structures::GtMasks& masks, const MaskRegions& regions,
                       std::int64_t side);

/// Kernels, the same to the last bit. A GPU does not find out indices that name no mask.
using MaskTargetsKernel = at::Tensor(const structures::GtMasks& masks, const MaskRegions& regions,
                                     std::int64_t side);
namespace cpu {
MaskTargetsKernel maskTargets;
}
namespace cuda {
MaskTargetsKernel maskTargets;
}

}  // namespace lockstep::ops
