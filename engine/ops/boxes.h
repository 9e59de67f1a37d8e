#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <vector>

#include "engine/ops/instances.h"

/// Box arithmetic in px, corners as (x1, y1, x2, y2), width x2 - x1: torchvision's conventions, no
/// `+ 1`. Letters: G ground-truth boxes, R boxes, C classes.
namespace lockstep::ops {

using BoxWeights = std::array<double, 4>;  ///< of dx, dy, dw, dh

/// Intersection over union of every pair. first [...,G,4], second [...,R,4] -> [...,G,R]; leading
/// sizes are broadcast. Two empty boxes give NaN, as in torchvision.
at::Tensor boxIou(const at::Tensor& first, const at::Tensor& second);

/// What clipBoxes needs of N images: [N,1,4] float32 (width, height, width, height) px. Does not
/// wait for the device.
at::Tensor boxLimits(const std::vector<ImageSize>& sizes, const at::Device& device);

/// boxesXyxy [N,R,4] with x within 0 … width and y within 0 … height of their image.
at::Tensor clipBoxes(const at::Tensor& boxesXyxy, const at::Tensor& limits);

/// Whether both sides of the boxes [...,4] are at least minSide px -> [...] bool.
at::Tensor areLarge(const at::Tensor& boxesXyxy, double minSide);

/// Regression targets (dx, dy, dw, dh) [...,4] that turn `anchors` [...,4] into `targets` [...,4].
/// Source: Faster R-CNN, section 3.1.2.
at::Tensor encodeBoxes(const at::Tensor& targets, const at::Tensor& anchors,
                       const BoxWeights& weights);

/// Boxes [...,4] that `deltas` [...,4] make of `anchors` [...,4]. dw, dh are at most log(1000/16).
/// Always float32.
at::Tensor decodeBoxes(const at::Tensor& deltas, const at::Tensor& anchors,
                       const BoxWeights& weights);

}  // namespace lockstep::ops
