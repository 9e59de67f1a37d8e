#pragma once

#include <cstdint>

#include "engine/ops/bilinear.h"
#include "engine/ops/host_device.h"

/// The window of a detection's mask in its image, shared by the CPU and CUDA kernels.
namespace lockstep::ops {

/// Pixels with a probability > this are foreground. A power of two: interpolation between numbers
/// up to it never rounds to one above it.
inline constexpr float kMaskThreshold = 0.5f;

/// The extent of a box along one axis of the image, in integer px.
struct PasteSpan {
  std::int64_t origin, full;   ///< of the enlarged mask, which may reach beyond the image
  std::int64_t begin, length;  ///< of its part inside the image
};

/// growth: (side + 2) / side, by which the border of one mask pixel enlarges the box.
LOCKSTEP_HOST_DEVICE inline PasteSpan pasteSpan(float low, float high, float growth,
                                                std::int64_t pixels) {
  const float half = (high - low) * 0.5f * growth, centre = (high + low) * 0.5f;
  const auto first = static_cast<std::int64_t>(centre - half),
             last = static_cast<std::int64_t>(centre + half);
  PasteSpan span{first, last - first + 1, first, 0};
  if (span.full < 1) span.full = 1;
  if (span.begin < 0) span.begin = 0;
  if (span.begin > pixels) span.begin = pixels;
  const std::int64_t end = last + 1 < pixels ? last + 1 : pixels;
  if (end > span.begin) span.length = end - span.begin;
  return span;
}

struct PasteWindow {
  PasteSpan columns, rows;
};

/// box: x1 y1 x2 y2 in px of an image of height x width px.
LOCKSTEP_HOST_DEVICE inline PasteWindow pasteWindow(const float* box, float growth,
                                                    std::int64_t height, std::int64_t width) {
  return {pasteSpan(box[0], box[2], growth, width), pasteSpan(box[1], box[3], growth, height)};
}

/// Of a mask of side x side.
inline float pasteGrowth(std::int64_t side) {
  return static_cast<float>(static_cast<double>(side + 2) / static_cast<double>(side));
}

}  // namespace lockstep::ops
