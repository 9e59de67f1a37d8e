#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

struct ValueRangeOptions {
  bool ignoreOutliers = true;  ///< of curves with at least 20 points
  bool log = false;
  std::optional<double> min, max;  ///< fixed limits
};

/// y range that shows the curves' points with x in [low, high], with a margin; (0, 1) if there are
/// none. drawn: the samples of the same curves.
///
/// A value is an outlier if its distance above the 95th percentile is more than half the distance
/// from the minimum to the 95th percentile. The minimum and each curve's last value are always in
/// the range.
std::pair<double, double> valueRange(const std::vector<Curve>& curves,
                                     const std::vector<CurveSamples>& drawn, double low,
                                     double high, const ValueRangeOptions& options);

/// Ascending x of the drawn points with x in [low, high] and y above `top`.
std::vector<double> placesAbove(const std::vector<CurveSamples>& drawn, double low, double high,
                                double top);
/// Number of points of the curves with x in [low, high] and y above `top`. Scans all points.
std::size_t pointsAbove(const std::vector<Curve>& curves, double low, double high, double top);

/// The range shifted, and narrowed if it is wider, to fit in the limits. On a log scale all values
/// must be > 0.
std::pair<double, double> rangeWithin(std::pair<double, double> range,
                                      std::pair<double, double> limits, bool log);

/// The `q`-quantile (0 … 1) of the values, by linear interpolation as numpy.quantile does.
double quantile(std::vector<double> values, double q);

}  // namespace lockstep::widgets
