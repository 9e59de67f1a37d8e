#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "engine/base/image_size.h"
#include "engine/structures/mask_window.h"

/// The objects of one image.
/// Letters: G ground-truth objects, D detections, C classes, B bytes.
namespace lockstep::structures {

/// The masks of an image's objects, each cut down to its window: a tenth of the bytes.
struct CroppedMasks {
  at::Tensor pixels;     ///< [B] uint8, 0 or 1: one window after another
  at::Tensor windows;    ///< [G,5] int64: a MaskWindow each
  base::ImageSize size;  ///< of the image
};

/// Ground truth on the host, in px of the (resized) image the model sees.
struct GtInstances {
  at::Tensor boxesXyxy;  ///< [G,4] float32
  at::Tensor classes;    ///< [G] int64, 1 … C
  CroppedMasks masks;
  std::int64_t count() const { return boxesXyxy.defined() ? boxesXyxy.size(0) : 0; }
};

/// Predictions, best score first, in px of the image the model saw.
struct PredInstances {
  at::Tensor boxesXyxy;  ///< [D,4] float32
  at::Tensor scores;     ///< [D] float32, probabilities
  at::Tensor classes;    ///< [D] int64, 1 … C
  /// [D,28,28] float32, of the predicted class; 28: twice mask_head.roi_resolution.
  at::Tensor maskProbs;
};

}  // namespace lockstep::structures
