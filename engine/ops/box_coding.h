#pragma once

#include <cmath>

#include "engine/ops/host_device.h"
#include "engine/structures/boxes.h"

/// Arithmetic of one box, for the CPU and for kernels.
namespace lockstep::ops {

using structures::Box;

/// (dx, dy, dw, dh), or a factor of each.
struct BoxCode {
  float dx, dy, dw, dh;
};

/// log(1000 / 16): keeps an exponential of the network's output from overflowing. A box grows at
/// most 62.5 times.
inline constexpr float kLargestLogScale = 4.135166556742356f;

/// What turns `anchor` into `target`. Source: Faster R-CNN, section 3.1.2.
LOCKSTEP_HOST_DEVICE inline BoxCode encodeBox(const Box& target, const Box& anchor,
                                              const BoxCode& weights) {
  const float anchorWidth = anchor.x2 - anchor.x1, anchorHeight = anchor.y2 - anchor.y1;
  const float width = target.x2 - target.x1, height = target.y2 - target.y1;
  const float right = target.x1 + 0.5f * width - (anchor.x1 + 0.5f * anchorWidth),
              down = target.y1 + 0.5f * height - (anchor.y1 + 0.5f * anchorHeight);
  return {right / anchorWidth * weights.dx, down / anchorHeight * weights.dy,
          logf(width / anchorWidth) * weights.dw, logf(height / anchorHeight) * weights.dh};
}

/// The centre and half of the length of a side.
struct HalfSide {
  float centre, half;
};

LOCKSTEP_HOST_DEVICE inline HalfSide decodeSide(float low, float high, float shift, float scale) {
  const float length = high - low;
  const float bounded = scale > kLargestLogScale ? kLargestLogScale : scale;  // keeps NaN
  return {shift * length + (low + 0.5f * length), 0.5f * (expf(bounded) * length)};
}

LOCKSTEP_HOST_DEVICE inline Box decodeBox(const BoxCode& code, const Box& anchor,
                                          const BoxCode& weights) {
  const HalfSide x = decodeSide(anchor.x1, anchor.x2, code.dx / weights.dx, code.dw / weights.dw);
  const HalfSide y = decodeSide(anchor.y1, anchor.y2, code.dy / weights.dy, code.dh / weights.dh);
  return {x.centre - x.half, y.centre - y.half, x.centre + x.half, y.centre + y.half};
}

/// Keeps NaN.
LOCKSTEP_HOST_DEVICE inline float clip(float value, float limit) {
  const float positive = value < 0.0f ? 0.0f : value;
  return positive > limit ? limit : positive;
}

LOCKSTEP_HOST_DEVICE inline Box clipBox(const Box& box, float width, float height) {
  return {clip(box.x1, width), clip(box.y1, height), clip(box.x2, width), clip(box.y2, height)};
}

/// Not a box with NaN.
LOCKSTEP_HOST_DEVICE inline bool isLarge(const Box& box, float minSide) {
  return box.x2 - box.x1 >= minSide && box.y2 - box.y1 >= minSide;
}

}  // namespace lockstep::ops
