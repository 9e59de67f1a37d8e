#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/base/image_size.h"

namespace lockstep::ops {

/// A full-size mask as COCO RLE counts: lengths of alternating runs of 0 and 1, starting with 0,
/// column-major. They sum to height * width.
using MaskRuns = std::vector<std::uint32_t>;

/// Masks as with torchvision's `paste_masks_in_image` and a threshold of 0.5: one px of padding,
/// boxes expanded in proportion and truncated to integers, bilinear (align_corners false), > 0.5.
/// probs [D,M,M] float32, boxesXyxy [D,4] float32 in px of an image of this size. No full-size mask
/// is allocated; bitwise identical on every device. Uses at::parallel_for on a CPU; synchronises
/// with a GPU twice.
std::vector<MaskRuns> pasteMasks(const at::Tensor& probs, const at::Tensor& boxesXyxy,
                                 const base::ImageSize& size);

/// Kernels, of contiguous float32.
using PasteMasksKernel = std::vector<MaskRuns>(const at::Tensor& probs, const at::Tensor& boxesXyxy,
                                               const base::ImageSize& size);
namespace cpu {
PasteMasksKernel pasteMasks;
}
namespace cuda {
PasteMasksKernel pasteMasks;
}

/// Runs as full masks [D,H,W] uint8 on the CPU.
at::Tensor fullMasks(const std::vector<MaskRuns>& masks, const base::ImageSize& size);

}  // namespace lockstep::ops
