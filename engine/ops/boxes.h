#pragma once

#include <ATen/core/Tensor.h>

#include <array>

#include "engine/ops/instances.h"

/// Box arithmetic in px, corners as (x1, y1, x2, y2), width x2 - x1: torchvision's conventions, no
/// `+ 1`. Letters: G ground-truth boxes, R boxes, C classes.
namespace lockstep::ops {

using BoxWeights = std::array<double, 4>;  ///< of dx, dy, dw, dh

/// Intersection over union of every pair. first [G,4], second [R,4] -> [G,R]. Two empty boxes give
/// NaN, as in torchvision.
at::Tensor boxIou(const at::Tensor& first, const at::Tensor& second);

/// boxesXyxy [...,4] with x within 0 … width and y within 0 … height.
at::Tensor clipBoxes(const at::Tensor& boxesXyxy, const ImageSize& size);

/// Index [K] int64 of the boxes [R,4] whose sides are both at least minSide px.
at::Tensor keepLargeBoxes(const at::Tensor& boxesXyxy, double minSide);

/// Regression targets (dx, dy, dw, dh) [R,4] that turn `anchors` [R,4] into `targets` [R,4].
/// Source: Faster R-CNN, section 3.1.2.
at::Tensor encodeBoxes(const at::Tensor& targets, const at::Tensor& anchors,
                       const BoxWeights& weights);

/// Boxes that `deltas` [R,4] or [R,4*C] make of `anchors` [R,4]; the shape of deltas. dw, dh are at
/// most log(1000/16). Always float32.
at::Tensor decodeBoxes(const at::Tensor& deltas, const at::Tensor& anchors,
                       const BoxWeights& weights);

}  // namespace lockstep::ops
