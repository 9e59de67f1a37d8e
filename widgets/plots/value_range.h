#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "widgets/plots/curve_source.h"

namespace lockstep::widgets {

struct ValueRangeOptions {
  bool ignoreOutliers = true;  ///< 5th to 95th percentile of curves with 20 points and more
  bool log = false;
  std::optional<double> least, most;  ///< limits that hold in any case
};

/// y range that shows the curves' points in [low, high] with a margin; (0, 1) when there is none.
std::pair<double, double> valueRange(const std::vector<Curve>& curves, double low, double high,
                                     const ValueRangeOptions& options);

/// A range moved, and where it is wider made narrower, to lie within the limits; on a log scale all
/// are > 0.
std::pair<double, double> rangeWithin(std::pair<double, double> wanted,
                                      std::pair<double, double> limits, bool log);

/// The value below which `part` of the values lie, by linear interpolation between neighbours
/// (NumPy's default).
double quantile(std::vector<double> values, double part);

}  // namespace lockstep::widgets
