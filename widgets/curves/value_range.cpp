#include "widgets/curves/value_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::widgets {
namespace {

constexpr int kMaxValues = 4096;    ///< of all curves
constexpr int kFewestValues = 128;  ///< of one of many
constexpr std::size_t kFewestForPercentiles = 20;
constexpr double kMargin = 0.06;
constexpr double kFarAway = 0.5;  ///< of the distance from the minimum to the 95th percentile

using Range = std::pair<double, double>;

/// The largest value that is no outlier. min, max: of the drawn line, smoothed line included.
double topWithoutOutliers(const std::vector<double>& values, double min, double max, bool log) {
  const double p95 = quantile(values, 0.95);
  const double fence = log ? p95 * std::pow(p95 / min, kFarAway) : p95 + (p95 - min) * kFarAway;
  if (max <= fence) return max;
  double top = p95;
  for (const double value : values)
    if (value <= fence) top = std::max(top, value);
  return top;
}

/// A constant gets a tenth of itself, and a constant 0 (an AP before the first hit) an axis to 1.
double marginOf(double bottom, double top) {
  if (top > bottom) return (top - bottom) * kMargin;
  return top == 0 ? 1 : std::abs(top) * 0.1;
}

std::optional<Range> rangeOfCurve(const Curve& curve, const CurveSamples& drawn, double low,
                                  double high, int mostValues, const ValueRangeOptions& options) {
  if (!curve.source || curve.source->isEmpty()) return std::nullopt;
  const auto isUsable = [&](double v) { return std::isfinite(v) && (!options.log || v > 0); };
  std::optional<Range> all;
  double maxLast = -std::numeric_limits<double>::infinity();
  for (const auto* line : {&drawn.raw, &drawn.smooth, &drawn.bandLow, &drawn.bandHigh}) {
    std::optional<double> last;
    for (const QPointF& point : *line) {
      if (point.x() < low || point.x() > high || !isUsable(point.y())) continue;
      last = point.y();
      all = all ? Range(std::min(all->first, *last), std::max(all->second, *last))
                : Range(*last, *last);
    }
    if (last) maxLast = std::max(maxLast, *last);
  }
  if (!all || !options.ignoreOutliers) return all;
  std::vector<double> values = curve.source->valuesBetween(low, high, mostValues);
  std::erase_if(values, [&](double v) { return !isUsable(v); });
  if (values.size() < kFewestForPercentiles) return all;
  const double top = topWithoutOutliers(values, all->first, all->second, options.log);
  return Range(all->first, std::max(top, maxLast));
}

}  // namespace

std::pair<double, double> rangeWithin(std::pair<double, double> range,
                                      std::pair<double, double> limits, bool log) {
  if (log) {
    const auto inner = rangeWithin({std::log(range.first), std::log(range.second)},
                                   {std::log(limits.first), std::log(limits.second)}, false);
    return {std::exp(inner.first), std::exp(inner.second)};
  }
  const double width = std::min(range.second - range.first, limits.second - limits.first);
  // With the width of the limits, rounding could put the last start before the first.
  const double lastLow = std::max(limits.first, limits.second - width);
  const double low = std::clamp(range.first, limits.first, lastLow);
  return {low, low + width};
}

double quantile(std::vector<double> values, double q) {
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(values.begin(), low, values.end());
  const double below = *low;
  if (low + 1 == values.end()) return below;
  const double above = *std::min_element(low + 1, values.end());
  return below + (above - below) * (at - std::floor(at));
}

std::pair<double, double> valueRange(const std::vector<Curve>& curves,
                                     const std::vector<CurveSamples>& drawn, double low,
                                     double high, const ValueRangeOptions& options) {
  const int mostValues =
      std::max(kFewestValues, kMaxValues / std::max(1, static_cast<int>(curves.size())));
  std::optional<Range> range;
  double lowestMarker = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto own = rangeOfCurve(curves[i], drawn[i], low, high, mostValues, options);
    if (!own) continue;
    range = range ? Range(std::min(range->first, own->first), std::max(range->second, own->second))
                  : *own;
    if (curves[i].kind == Curve::Kind::Evaluation)
      lowestMarker = std::min(lowestMarker, own->first);
  }
  if (!range) return {options.log ? 0.1 : options.min.value_or(0), options.max.value_or(1)};
  auto [bottom, top] = *range;
  if (options.log) {
    const double factor = std::pow(std::max(top / bottom, 1.2), kMargin);
    return {bottom / factor, top * factor};
  }
  const bool wasPositive = bottom >= 0;
  const double margin = marginOf(bottom, top);
  bottom -= margin;
  top += margin;
  if (wasPositive) bottom = std::max(bottom, 0.0);
  if (options.min) {
    bottom = *options.min;
    top = std::max(top, bottom + (top - bottom) * (1 + kMargin));
  }
  top = std::max(options.max.value_or(top), bottom + 1e-9);
  // Room for a whole marker at the limit.
  const double room = (top - bottom) * kMargin;
  if (lowestMarker < bottom + room) bottom -= room;
  return {bottom, top};
}

std::vector<double> placesAbove(const std::vector<CurveSamples>& drawn, double low, double high,
                                double top) {
  std::vector<double> places;
  for (const CurveSamples& samples : drawn)
    for (const QPointF& point : samples.raw)
      if (point.x() >= low && point.x() <= high && point.y() > top) places.push_back(point.x());
  std::sort(places.begin(), places.end());
  return places;
}

std::size_t pointsAbove(const std::vector<Curve>& curves, double low, double high, double top) {
  std::size_t count = 0;
  for (const Curve& curve : curves) {
    if (!curve.source || curve.source->isEmpty()) continue;
    const std::vector<double> values =
        curve.source->valuesBetween(low, high, std::numeric_limits<int>::max());
    count += std::count_if(values.begin(), values.end(), [top](double v) { return v > top; });
  }
  return count;
}

}  // namespace lockstep::widgets
