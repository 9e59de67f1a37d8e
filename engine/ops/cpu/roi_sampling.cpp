#include "engine/ops/cpu/roi_sampling.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ops {
namespace {

/// Adds weight to a pixel of the bin that begins at taps[first]; samples ascend, so it is one of
/// the last two or new.
void addTap(std::vector<AxisTap>& taps, std::size_t first, std::int32_t pixel, float weight) {
  for (std::size_t i = taps.size(); i > first && i + 2 > taps.size(); --i) {
    if (taps[i - 1].pixel == pixel) {
      taps[i - 1].weight += weight;
      return;
    }
  }
  taps.push_back({pixel, weight});
}

}  // namespace

AxisTaps axisTaps(float from, float to, const AxisSize& size) {
  const float length = std::max(to - from, 1.0f);
  const float bin = length / static_cast<float>(size.bins);
  const auto samples =
      size.samplingRatio > 0 ? size.samplingRatio : static_cast<std::int64_t>(std::ceil(bin));
  const auto last = static_cast<std::int32_t>(size.pixels - 1);
  AxisTaps axis;
  axis.begin.reserve(size.bins + 1);
  for (std::int64_t b = 0; b < size.bins; ++b) {
    const std::size_t first = axis.taps.size();
    axis.begin.push_back(static_cast<std::int32_t>(first));
    for (std::int64_t i = 0; i < samples; ++i) {
      const float step = (static_cast<float>(i) + 0.5f) * bin / static_cast<float>(samples);
      const float place = from + static_cast<float>(b) * bin + step;
      if (!(place >= -1.0f && place <= static_cast<float>(size.pixels))) continue;
      const float inside = std::max(place, 0.0f);
      const auto low = std::min(static_cast<std::int32_t>(inside), last);
      const float fraction = low == last ? 0.0f : inside - static_cast<float>(low);
      const float share = 1.0f / static_cast<float>(samples);
      addTap(axis.taps, first, low, (1.0f - fraction) * share);
      if (fraction > 0.0f) addTap(axis.taps, first, low + 1, fraction * share);
    }
  }
  axis.begin.push_back(static_cast<std::int32_t>(axis.taps.size()));
  return axis;
}

RegionTaps regionTaps(const float* boxXyxy, float spatialScale, std::int64_t height,
                      std::int64_t width, const RoiAlignShape& shape) {
  const float x1 = boxXyxy[0] * spatialScale, y1 = boxXyxy[1] * spatialScale;
  const float x2 = boxXyxy[2] * spatialScale, y2 = boxXyxy[3] * spatialScale;
  return {axisTaps(y1, y2, {height, shape.height, shape.samplingRatio}),
          axisTaps(x1, x2, {width, shape.width, shape.samplingRatio})};
}

}  // namespace lockstep::ops
