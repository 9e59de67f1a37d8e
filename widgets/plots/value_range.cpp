#include "widgets/plots/value_range.h"

#include <algorithm>
#include <cmath>

namespace lockstep::widgets {
namespace {

constexpr int kMostValues = 4096;
constexpr std::size_t kFewestForPercentiles = 20;
constexpr double kMargin = 0.06;

}  // namespace

std::pair<double, double> rangeWithin(std::pair<double, double> wanted,
                                      std::pair<double, double> limits, bool log) {
  if (log) {
    const auto inner = rangeWithin({std::log(wanted.first), std::log(wanted.second)},
                                   {std::log(limits.first), std::log(limits.second)}, false);
    return {std::exp(inner.first), std::exp(inner.second)};
  }
  const double width = std::min(wanted.second - wanted.first, limits.second - limits.first);
  // As wide as the limits, the last start could by rounding lie before the first.
  const double lastLow = std::max(limits.first, limits.second - width);
  const double low = std::clamp(wanted.first, limits.first, lastLow);
  return {low, low + width};
}

double quantile(std::vector<double> values, double part) {
  const double at = part * static_cast<double>(values.size() - 1);
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(values.begin(), low, values.end());
  const double below = *low;
  if (low + 1 == values.end()) return below;
  const double above = *std::min_element(low + 1, values.end());
  return below + (above - below) * (at - std::floor(at));
}

std::pair<double, double> valueRange(const std::vector<Curve>& curves, double low, double high,
                                     const ValueRangeOptions& options) {
  std::optional<std::pair<double, double>> range;
  for (const Curve& curve : curves) {
    if (!curve.source || curve.source->isEmpty()) continue;
    std::vector<double> values = curve.source->valuesBetween(low, high, kMostValues);
    if (options.log)
      values.erase(std::remove_if(values.begin(), values.end(), [](double v) { return v <= 0; }),
                   values.end());
    if (values.empty()) continue;
    const bool percentiles = options.ignoreOutliers && values.size() >= kFewestForPercentiles;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const std::pair<double, double> own =
        percentiles ? std::pair(quantile(values, 0.05), quantile(values, 0.95))
                    : std::pair(*least, *most);
    range = range
                ? std::pair(std::min(range->first, own.first), std::max(range->second, own.second))
                : own;
  }
  if (!range) return {options.log ? 0.1 : options.least.value_or(0), options.most.value_or(1)};
  auto [bottom, top] = *range;
  if (options.log) {
    const double factor = std::pow(std::max(top / bottom, 1.2), kMargin);
    return {bottom / factor, top * factor};
  }
  const bool wasPositive = bottom >= 0;
  const double margin =
      top > bottom ? (top - bottom) * kMargin : std::max(std::abs(top) * 0.1, 1e-6);
  bottom -= margin;
  top += margin;
  if (wasPositive) bottom = std::max(bottom, 0.0);
  if (options.least) {
    bottom = *options.least;
    top = std::max(top, bottom + (top - bottom) * (1 + kMargin));
  }
  return {bottom, std::max(options.most.value_or(top), bottom + 1e-9)};
}

}  // namespace lockstep::widgets
