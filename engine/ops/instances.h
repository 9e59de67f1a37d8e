#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/ops/mask_window.h"
#include "engine/ops/tensor_block.h"

/// What passes between data, model and evaluation.
/// Letters: N images, G ground-truth objects, D detections, H W image size in px, B bytes.
namespace lockstep::ops {

using base::ImageSize;

/// The masks of an image's objects, each cut down to its window: a tenth of the bytes.
struct CroppedMasks {
  at::Tensor pixels;   ///< [B] uint8, 0 or 1: one window after another
  at::Tensor windows;  ///< [G,5] int64: a MaskWindow each
  ImageSize size;      ///< of the image
};

/// Ground truth of one image on the host, in px of the (resized) image the model sees.
struct GtInstances {
  at::Tensor boxesXyxy;  ///< [G,4] float32
  at::Tensor classes;    ///< [G] int64, 1 … C
  CroppedMasks masks;
  std::int64_t count() const { return boxesXyxy.defined() ? boxesXyxy.size(0) : 0; }
};

/// The masks of several images.
struct GtMasks {
  at::Tensor pixels;             ///< [B] uint8, as CroppedMasks::pixels, of one image after another
  at::Tensor windows;            ///< [N,G,5] int64: a MaskWindow each, kNoMask without an object
  at::Tensor sizes;              ///< [N,2] int64: height and width of the images
  std::int64_t longestSide = 0;  ///< px, of any of the images

  std::int64_t imageCount() const { return windows.size(0); }
  std::int64_t mostObjects() const { return windows.size(1); }
};

/// Ground truth of N images in tensors of one size, all in one block. Letters: G most objects of an
/// image, at least 1.
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

/// Predictions for one image, best score first, in px of the image the model saw.
struct PredInstances {
  at::Tensor boxesXyxy;  ///< [D,4] float32
  at::Tensor scores;     ///< [D] float32, probabilities
  at::Tensor classes;    ///< [D] int64, 1 … C
  /// [D,28,28] float32, of the predicted class; 28: twice mask_head.roi_resolution.
  at::Tensor maskProbs;
};

}  // namespace lockstep::ops
