#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/structures/instances.h"
#include "engine/structures/tensor_block.h"

/// The ground truth of a batch.
/// Letters: N images, G most objects of an image, at least 1, B bytes.
namespace lockstep::structures {

struct GtMasks {
  at::Tensor pixels;             ///< [B] uint8, as CroppedMasks::pixels, of one image after another
  at::Tensor windows;            ///< [N,G,5] int64: a MaskWindow each, kNoMask without an object
  at::Tensor sizes;              ///< [N,2] int64: height and width of the images
  std::int64_t longestSide = 0;  ///< px, of any of the images

  std::int64_t imageCount() const { return windows.size(0); }
  std::int64_t mostObjects() const { return windows.size(1); }
};

/// Tensors of one size for all images, all in one block.
struct GtBatch {
  at::Tensor boxesXyxy;  ///< [N,G,4] float32, zeros where there is no object
  at::Tensor classes;    ///< [N,G] int64, 0 where there is no object
  at::Tensor counts;     ///< [N] int64: the first so many are objects
  GtMasks masks;

  std::int64_t imageCount() const { return counts.size(0); }
  /// [N,G] bool
  at::Tensor isObject() const;
  /// The same on a device, in one copy; as blockTo.
  GtBatch to(const at::Device& device) const;
};

/// On the host. Each image's tensors may be undefined where it has no object. Any thread, and no
/// ATen parallelism.
GtBatch batchGroundTruth(const std::vector<GtInstances>& images,
                         HostMemory memory = HostMemory::Plain);

}  // namespace lockstep::structures
