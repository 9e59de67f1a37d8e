#pragma once

#include <utility>
#include <vector>

#include "app/models/metric_series.h"

namespace lockstep::app {

/// What stands on the x axis, and how it follows from step and time.
struct XScale {
  enum class Quantity { Step, Epoch, RelativeSeconds, WallSeconds };
  Quantity quantity = Quantity::Step;
  double stepsPerEpoch = 1;
  double baseTime = 0;  ///< wall time of the run's first record

  double at(const StepAxis& axis, std::size_t index) const;
  /// Index of the first record at or after x; axis.size() when there is none.
  std::size_t firstAt(const StepAxis& axis, double x) const;
};

struct PlotPoint {
  double x = 0, y = 0;
  bool operator==(const PlotPoint&) const = default;
};

struct DecimatedCurve {
  std::vector<PlotPoint>
      raw;  ///< per column its least and greatest value, or every point where few are in view
  std::vector<PlotPoint>
      smooth;  ///< the smoothed value at each column's last point; empty: no smoothing
  std::vector<PlotPoint> nonFinite;  ///< at most one per column, at the last finite value
};

/// Cuts a series to the pixel columns between columnEdges (rising, at least two). One point beyond
/// either side is kept.
DecimatedCurve decimate(const MetricSeries& series, const XScale& scale,
                        const std::vector<double>& columnEdges, bool smooth);

/// Index of the point nearest to x; the series is not empty.
std::size_t nearestIndex(const MetricSeries& series, const XScale& scale, double x);

/// At most `atMost` finite values, evenly spread over the points in [low, high].
std::vector<double> sampleValues(const MetricSeries& series, const XScale& scale, double low,
                                 double high, int atMost);

}  // namespace lockstep::app
