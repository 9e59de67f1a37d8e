#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

/// What passes between data, model and evaluation.
/// Letters: G ground-truth objects, D detections, H W image size in px.
namespace lockstep::ops {

struct ImageSize {
  std::int64_t height = 0, width = 0;
  bool operator==(const ImageSize&) const = default;
};

/// Ground truth of one image, in px of the (resized) image the model sees.
struct GtInstances {
  at::Tensor boxesXyxy;  ///< [G,4] float32
  at::Tensor classes;    ///< [G] int64, 1 … C
  at::Tensor masks;      ///< [G,H,W] uint8, 0 or 1
  std::int64_t count() const { return boxesXyxy.defined() ? boxesXyxy.size(0) : 0; }
};

/// Ground truth of N images in tensors of one size. Letters: G most objects of an image, at
/// least 1.
struct GtBatch {
  at::Tensor boxesXyxy;           ///< [N,G,4] float32, zeros where there is no object
  at::Tensor classes;             ///< [N,G] int64, 0 where there is no object
  at::Tensor counts;              ///< [N] int64: the first so many are objects
  std::vector<at::Tensor> masks;  ///< as GtInstances::masks of each image

  /// [N,G] bool
  at::Tensor isObject() const;
};

/// Each image's tensors may be undefined where it has no object. Does not wait for the device.
GtBatch batchGroundTruth(const std::vector<GtInstances>& images, const at::Device& device);

/// Predictions for one image, best score first, in px of the image the model saw.
struct PredInstances {
  at::Tensor boxesXyxy;  ///< [D,4] float32
  at::Tensor scores;     ///< [D] float32, probabilities
  at::Tensor classes;    ///< [D] int64, 1 … C
  /// [D,28,28] float32, of the predicted class; 28: twice mask_head.roi_resolution.
  at::Tensor maskProbs;
};

}  // namespace lockstep::ops
