#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "engine/base/image_size.h"
#include "engine/structures/mask_window.h"

/// The objects of one image.
/// Letters: G ground-truth objects, D detections, C classes, B bytes.
namespace lockstep::structures {

/// The masks of an image's objects, each cropped to its window, which takes a tenth of the memory.
struct CroppedMasks {
  at::Tensor pixels;     ///< [B] uint8, 0 or 1: windows concatenated
  at::Tensor windows;    ///< [G,5] int64: MaskWindows
  base::ImageSize size;  ///< of the image
};

/// Ground truth of an image on the host, in px of the resized image.
struct GtInstances {
  at::Tensor boxesXyxy;  ///< [G,4] float32
  at::Tensor classes;    ///< [G] int64, 1 … C
  CroppedMasks masks;
  /// [G] float32: areas of the annotations in px of the original image; undefined: not needed.
  at::Tensor areas{};
  std::int64_t count() const { return boxesXyxy.defined() ? boxesXyxy.size(0) : 0; }
};

/// Predictions by falling score, in px of the resized image.
struct PredInstances {
  at::Tensor boxesXyxy;  ///< [D,4] float32
  at::Tensor scores;     ///< [D] float32, probabilities
  at::Tensor classes;    ///< [D] int64, 1 … C
  /// [D,28,28] float32, probabilities for the predicted class; 28: twice mask_head.roi_resolution.
  /// Undefined: the model has no mask head.
  at::Tensor maskProbs;
};

}  // namespace lockstep::structures
