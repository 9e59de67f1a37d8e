#pragma once

#include <cstdint>

#include "engine/ops/host_device.h"

/// Bilinear resizing without antialias, one axis of it, with align_corners false.
namespace lockstep::ops {

/// Where a pixel of the result reads the other: low * (1 - fraction) + high * fraction.
struct Lerp {
  std::int32_t low, high;
  float fraction;
};

/// Of the resize of `from` to `to` pixels. ops::resizeImages() has its own, rounded as ATen's.
LOCKSTEP_HOST_DEVICE inline Lerp lerpAt(std::int64_t target, std::int32_t from, std::int64_t to) {
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  const float place = (static_cast<float>(target) + 0.5f) * scale - 0.5f;
  const float inside = place > 0.0f ? place : 0.0f;
  const std::int32_t last = from - 1;
  const std::int32_t low =
      inside < static_cast<float>(last) ? static_cast<std::int32_t>(inside) : last;
  const float fraction = inside - static_cast<float>(low);
  return {low, low < last ? low + 1 : last, fraction < 1.0f ? fraction : 1.0f};
}

LOCKSTEP_HOST_DEVICE inline float lerp(float low, float high, float fraction) {
  return (1.0f - fraction) * low + fraction * high;
}

}  // namespace lockstep::ops
