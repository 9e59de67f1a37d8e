#pragma once

#include <utility>
#include <vector>

#include "app/metrics/metric_series.h"
#include "widgets/curves/curve_source.h"

namespace lockstep::app {

/// Maps a record's step and time to x.
struct XScale {
  widgets::XAxis quantity = widgets::XAxis::Step;
  double stepsPerEpoch = 1, imagesPerStep = 1;
  double baseTime = 0;  ///< wall time of the run's first record

  double at(const StepAxis& axis, std::size_t index) const;
  /// Index of the first record at or after x; axis.size() when there is none.
  std::size_t firstAt(const StepAxis& axis, double x) const;
  bool operator==(const XScale&) const = default;
};

/// Decimates a series to the pixel columns between columnEdges (ascending, at least two). Each
/// column keeps its minimum and maximum (all points if few are in view), the smoothed value at its
/// last point, and at most one non-finite point. One point beyond either side is kept.
widgets::CurveSamples decimate(const MetricSeries& series, const XScale& scale,
                               const std::vector<double>& columnEdges, bool smooth);

/// Index of the point nearest to x; the series must not be empty.
std::size_t nearestIndex(const MetricSeries& series, const XScale& scale, double x);

/// At most `atMost` finite values, evenly sampled from the points in [low, high].
std::vector<double> sampleValues(const MetricSeries& series, const XScale& scale, double low,
                                 double high, int atMost);

}  // namespace lockstep::app
