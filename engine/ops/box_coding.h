#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

/// Encodes boxes as deltas and decodes them, like torchvision's BoxCoder; conventions as in
/// structures/boxes.h. Always float32, without gradients. Letters: N images, G ground-truth boxes,
/// B boxes per image, K selected.
namespace lockstep::ops {

using BoxWeights = std::array<double, 4>;  ///< of dx, dy, dw, dh

/// A selection of the deltas (dx, dy, dw, dh) that a network predicts for boxes.
struct ChosenDeltas {
  at::Tensor deltas;        ///< [N,B*perBox,4] of any floating type
  at::Tensor boxes;         ///< [N,B,4] xyxy px, or [B,4] where they are the same for all images
  std::int64_t perBox = 1;  ///< delta d is for box d / perBox
  at::Tensor chosen;        ///< [N,K] int64, indices of deltas
};

struct DecodedBoxes {
  at::Tensor boxesXyxy;  ///< [N,K,4] inside the image
  at::Tensor isLarge;    ///< [N,K] bool: both sides have the minimum size; false with NaN
};

/// Decodes the selected deltas to boxes, clipped to the limits of their image. dw, dh are clamped
/// to log(1000/16).
DecodedBoxes decodeBoxes(const ChosenDeltas& from, const BoxWeights& weights,
                         const at::Tensor& limits, double minSide);

/// Boxes and the objects they are matched with.
struct ChosenMatches {
  at::Tensor boxes;       ///< [N,B,4] xyxy px, or [B,4] where they are the same for all images
  at::Tensor matches;     ///< [N,B] int64, index of the matched object
  at::Tensor gtBoxes;     ///< [N,G,4]
  at::Tensor chosen;      ///< [N,K] int64, indices of boxes
  at::Tensor isPositive;  ///< [N,K] bool; matches of others are ignored
};

/// Regression targets (dx, dy, dw, dh) [N,K,4] from the selected boxes to their objects; 0 where
/// not positive. Source: Faster R-CNN, section 3.1.2.
at::Tensor encodeBoxes(const ChosenMatches& from, const BoxWeights& weights);

}  // namespace lockstep::ops
