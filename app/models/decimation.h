#pragma once

#include <utility>
#include <vector>

#include "app/models/metric_series.h"
#include "widgets/curves/curve_source.h"

namespace lockstep::app {

/// How x follows from step and time.
struct XScale {
  widgets::XAxis quantity = widgets::XAxis::Step;
  double stepsPerEpoch = 1;
  double baseTime = 0;  ///< wall time of the run's first record

  double at(const StepAxis& axis, std::size_t index) const;
  /// Index of the first record at or after x; axis.size() when there is none.
  std::size_t firstAt(const StepAxis& axis, double x) const;
};

/// Cuts a series to the pixel columns between columnEdges (rising, at least two). Of a column its
/// least and greatest value, or every point where few are in view; the smoothed value at its last
/// point; at most one point that is not finite. One point beyond either side is kept.
widgets::CurveSamples decimate(const MetricSeries& series, const XScale& scale,
                               const std::vector<double>& columnEdges, bool smooth);

/// Index of the point nearest to x; the series is not empty.
std::size_t nearestIndex(const MetricSeries& series, const XScale& scale, double x);

/// At most `atMost` finite values, evenly spread over the points in [low, high].
std::vector<double> sampleValues(const MetricSeries& series, const XScale& scale, double low,
                                 double high, int atMost);

}  // namespace lockstep::app
