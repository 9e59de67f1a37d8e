#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

/// Boxes as deltas of others, and back: structures/boxes.h's conventions. Always float32, never
/// part of the graph. Letters: N images, G ground-truth boxes, B boxes of an image, K chosen.
namespace lockstep::ops {

using BoxWeights = std::array<double, 4>;  ///< of dx, dy, dw, dh

/// Some of the deltas (dx, dy, dw, dh) that a network gives for boxes.
struct ChosenDeltas {
  at::Tensor deltas;        ///< [N,B*perBox,4] of any floating type
  at::Tensor boxes;         ///< [N,B,4] xyxy px, or [B,4] where they are the same for all images
  std::int64_t perBox = 1;  ///< delta d is for box d / perBox
  at::Tensor chosen;        ///< [N,K] int64, of the deltas
};

struct DecodedBoxes {
  at::Tensor boxesXyxy;  ///< [N,K,4] inside the image
  at::Tensor isLarge;    ///< [N,K] bool: both sides have at least so many px; never with NaN
};

/// The boxes that chosen deltas make, cut to the limits of their image. dw, dh are at most
/// log(1000/16).
DecodedBoxes decodeBoxes(const ChosenDeltas& from, const BoxWeights& weights,
                         const at::Tensor& limits, double minSide);

/// Some boxes and the objects they are matched with.
struct ChosenMatches {
  at::Tensor boxes;       ///< [N,B,4] xyxy px, or [B,4] where they are the same for all images
  at::Tensor matches;     ///< [N,B] int64, an object of each box
  at::Tensor gtBoxes;     ///< [N,G,4]
  at::Tensor chosen;      ///< [N,K] int64, of the boxes
  at::Tensor isPositive;  ///< [N,K] bool; the match of others is not looked at
};

/// Regression targets (dx, dy, dw, dh) [N,K,4] that turn chosen boxes into their objects; 0 where
/// not positive. Source: Faster R-CNN, section 3.1.2.
at::Tensor encodeBoxes(const ChosenMatches& from, const BoxWeights& weights);

}  // namespace lockstep::ops
