#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "engine/structures/ground_truth.h"

namespace lockstep::ops {

/// Boxes from several images, each with an object of its image. Letters: P RoIs.
struct MaskRegions {
  at::Tensor boxesXyxy;  ///< [P,4] float32 in px of the masks
  at::Tensor images;     ///< [P] int64, image index; -1: padding, its target is 0
  at::Tensor objects;    ///< [P] int64, index among the objects of the image
};

/// Soft mask targets as torchvision's `project_masks_on_boxes`: RoIAlign (aligned=False, adaptive
/// sampling ratio) of each box on its object's mask -> [P,side,side] float32. Reads the uint8 masks
/// directly, without a full-size float mask.
at::Tensor maskTargets(const structures::GtMasks& masks, const MaskRegions& regions,
                       std::int64_t side);

/// Kernels with bitwise identical results. Indices without a mask are not detected on a GPU.
using MaskTargetsKernel = at::Tensor(const structures::GtMasks& masks, const MaskRegions& regions,
                                     std::int64_t side);
namespace cpu {
MaskTargetsKernel maskTargets;
}
namespace cuda {
MaskTargetsKernel maskTargets;
}

}  // namespace lockstep::ops
