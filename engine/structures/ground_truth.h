#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/structures/instances.h"
#include "engine/structures/tensor_block.h"

/// The ground truth of a batch. Letters: N images, G maximum number of objects per image (at least
/// 1), B bytes.
namespace lockstep::structures {

struct GtMasks {
  at::Tensor pixels;   ///< [B] uint8: CroppedMasks::pixels of all images, concatenated
  at::Tensor windows;  ///< [N,G,5] int64: MaskWindows; kNoMask for padding and boxes alone
  at::Tensor sizes;    ///< [N,2] int64: height and width of the images
  std::int64_t longestSide = 0;  ///< px, maximum over the images

  std::int64_t imageCount() const { return windows.size(0); }
  std::int64_t mostObjects() const { return windows.size(1); }
  /// [N,G] bool
  at::Tensor hasMask() const;
};

/// The ground truth of a batch, padded to the same number of objects; all tensors are in one block.
struct GtBatch {
  at::Tensor boxesXyxy;  ///< [N,G,4] float32, zero for padding
  at::Tensor classes;    ///< [N,G] int64, 0 for padding
  at::Tensor counts;     ///< [N] int64: number of objects per image; they come first
  GtMasks masks;
  at::Tensor areas;  ///< [N,G] float32, px of the original images; zero for padding

  std::int64_t imageCount() const { return counts.size(0); }
  /// [N,G] bool, false for padding
  at::Tensor isObject() const;
  /// Copies it to a device in one transfer, see blockTo.
  GtBatch to(const at::Device& device) const;
};

/// Batches the ground truth of images on the host. An image's tensors may be undefined if it has no
/// objects. Any thread; no ATen parallelism.
GtBatch batchGroundTruth(const std::vector<GtInstances>& images,
                         HostMemory memory = HostMemory::Pageable);

}  // namespace lockstep::structures
