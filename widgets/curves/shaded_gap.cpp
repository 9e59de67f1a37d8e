#include "widgets/curves/shaded_gap.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/curves/polyline.h"

namespace lockstep::widgets {
namespace {

/// The x of the points of both lines where the lines overlap, and of the split.
std::vector<double> cornersOf(const std::vector<QPointF>& a, const std::vector<QPointF>& b,
                              double split) {
  std::vector<double> corners;
  if (a.size() < 2 || b.size() < 2) return corners;
  const double first = std::max(a.front().x(), b.front().x());
  const double last = std::min(a.back().x(), b.back().x());
  if (first >= last) return corners;
  corners = {first, last};
  if (split > first && split < last) corners.push_back(split);
  for (const auto* line : {&a, &b})
    for (const QPointF& point : *line)
      if (point.x() > first && point.x() < last) corners.push_back(point.x());
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  return corners;
}

}  // namespace

std::optional<ShadedGap::Interval> ShadedGap::intervalAt(double x, double y) const {
  for (const Interval interval : {UntilLowest, SinceLowest}) {
    const Band& band = bands[interval];
    if (band.top.empty() || x < band.top.front().x() || x > band.top.back().x()) continue;
    const auto [low, high] = std::minmax({valueOnLine(band.top, x), valueOnLine(band.bottom, x)});
    if (y >= low && y <= high) return interval;
  }
  return std::nullopt;
}

ShadedGap shadedGap(const CurveSamples& heldOut, const CurveSamples& training,
                    std::optional<double> lowestX) {
  const std::vector<QPointF>& below = training.smooth.empty() ? training.raw : training.smooth;
  const double split = lowestX.value_or(std::numeric_limits<double>::infinity());
  ShadedGap gap;
  for (const double x : cornersOf(heldOut.raw, below, split)) {
    const double high = valueOnLine(heldOut.raw, x), low = valueOnLine(below, x);
    if (!std::isfinite(high) || !std::isfinite(low)) continue;
    const auto add = [&](ShadedGap::Band& band, double bottom) {
      band.top.push_back({x, high});
      band.bottom.push_back({x, bottom});
    };
    if (x <= split) add(gap.bands[ShadedGap::UntilLowest], low);
    if (x >= split) add(gap.bands[ShadedGap::SinceLowest], std::min(low, high));
  }
  return gap;
}

}  // namespace lockstep::widgets
