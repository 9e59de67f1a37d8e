#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/ops/instances.h"

namespace lockstep::ops {

/// A binary mask as the part of the image that can hold it; everything outside is 0.
struct MaskCrop {
  std::int64_t x = 0, y = 0;           ///< upper left corner in the image, px
  std::int64_t width = 0, height = 0;  ///< inside the image; 0 when the box lies outside
  std::vector<std::uint8_t> pixels;    ///< height * width, row after row, 0 or 1
};

/// Masks at full size as torchvision's `paste_masks_in_image` and a threshold make them: one px of
/// padding, boxes grown by the same share and cut to integers, bilinear (align_corners false), >
/// threshold. probs [D,M,M] float32, boxesXyxy [D,4] float32 in px of the image of this size. CPU
/// tensors; threads of at::parallel_for.
std::vector<MaskCrop> pasteMasks(const at::Tensor& probs, const at::Tensor& boxesXyxy,
                                 const ImageSize& size, float threshold = 0.5f);

/// The crops as full masks [D,H,W] uint8.
at::Tensor fullMasks(const std::vector<MaskCrop>& crops, const ImageSize& size);

}  // namespace lockstep::ops
