#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

struct ValueRangeOptions {
  bool ignoreOutliers = true;  ///< of curves with 20 points and more the far greater values
  bool log = false;
  std::optional<double> least, most;  ///< limits that hold in any case
};

/// y range that shows the curves' points in [low, high] with a margin; (0, 1) when there is none.
/// drawn: the same curves as they are drawn.
///
/// An outlier lies further above the 95th percentile than half the way from the least value to
/// there. The least value of what is drawn and each curve's last are in the range in any case: they
/// are what a loss is watched for.
std::pair<double, double> valueRange(const std::vector<Curve>& curves,
                                     const std::vector<CurveSamples>& drawn, double low,
                                     double high, const ValueRangeOptions& options);

/// x of what is drawn in [low, high] of one and more curves but lies above `top`, rising.
std::vector<double> placesAbove(const std::vector<CurveSamples>& drawn, double low, double high,
                                double top);
/// How many points of the curves in [low, high] do. Looks at all of them.
std::size_t pointsAbove(const std::vector<Curve>& curves, double low, double high, double top);

/// A range moved, and where it is wider made narrower, to lie within the limits; on a log scale all
/// are > 0.
std::pair<double, double> rangeWithin(std::pair<double, double> wanted,
                                      std::pair<double, double> limits, bool log);

/// The value below which `part` of the values lie, by linear interpolation between neighbours
/// (NumPy's default).
double quantile(std::vector<double> values, double part);

}  // namespace lockstep::widgets
