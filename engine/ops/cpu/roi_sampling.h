#pragma once

#include <cstdint>
#include <vector>

#include "engine/ops/roi_align.h"

/// Where RoIAlign samples. Its bilinear samples are separable: a bin is the sum over rows and
/// columns of rowWeight * columnWeight * pixel, so the samples of an axis are gathered into one
/// weight per pixel.
namespace lockstep::ops {

struct AxisTap {
  std::int32_t pixel;
  float weight;
};

/// The taps of all bins along one axis; those of bin b are taps[begin[b]] … taps[begin[b + 1]].
struct AxisTaps {
  std::vector<std::int32_t> begin;
  std::vector<AxisTap> taps;
};

struct RegionTaps {
  AxisTaps rows, columns;
};

struct AxisSize {
  std::int64_t pixels, bins, samplingRatio;
};

/// from, to: the region along the axis in feature pixels, before it is made at least 1 long.
AxisTaps axisTaps(float from, float to, const AxisSize& size);

/// boxXyxy: 4 numbers in px of the image.
RegionTaps regionTaps(const float* boxXyxy, float spatialScale, std::int64_t height,
                      std::int64_t width, const RoiAlignShape& shape);

}  // namespace lockstep::ops
