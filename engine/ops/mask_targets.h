#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lockstep::ops {

/// Soft mask targets as torchvision's `project_masks_on_boxes`: RoIAlign (unaligned, as many
/// samples as the box has pixels) of each box out of its ground-truth mask. gtMasks [G,H,W] uint8,
/// boxesXyxy [P,4] float32 in px of the masks, matches [P] int64 index into gtMasks ->
/// [P,side,side] float32. Reads the bytes as they are; nothing full-size is made.
at::Tensor maskTargets(const at::Tensor& gtMasks, const at::Tensor& boxesXyxy,
                       const at::Tensor& matches, std::int64_t side);

}  // namespace lockstep::ops
