#pragma once

#include <QPointer>
#include <functional>
#include <memory>
#include <string>

#include "app/metrics/decimation.h"
#include "app/metrics/series_figures.h"
#include "app/runs/open/run_controller.h"
#include "widgets/curves/curve_source.h"

namespace lockstep::app {

/// One tag of one open run as a curve. Empty once the run is closed.
class MetricCurve : public widgets::CurveSource {
 public:
  MetricCurve(RunController* run, std::string tag, widgets::XAxis axis, bool smooth);

  bool isEmpty() const override;
  std::pair<double, double> xRange() const override;
  widgets::CurveSamples sample(const std::vector<double>& columnEdges) const override;
  std::vector<double> valuesBetween(double low, double high, int atMost) const override;
  std::optional<widgets::CurveReading> nearest(double x) const override;
  widgets::RangeFigures figuresBetween(double low, double high) const override;
  std::optional<widgets::CurveReading> lowest() const override;
  std::function<widgets::CurvePoints()> allPoints() const override;

 private:
  const MetricSeries* series() const;
  XScale scale() const;

  QPointer<RunController> run_;
  std::string tag_;
  widgets::XAxis axis_;
  bool smooth_;
  mutable SeriesFigures figures_;
};

/// A point of a series. `smooth`: with its smoothed value, else that is the value.
widgets::CurveReading readingOf(const MetricSeries& series, std::size_t index, const XScale& scale,
                                bool smooth);
/// Gathers every point that a series has now, in any thread; nullptr: none.
std::function<widgets::CurvePoints()> pointsOf(const MetricSeries* series, const QString& tag);

/// Whether the run can be drawn over this axis: over epochs only if its run.json holds the steps
/// per epoch, over images if its config.yaml can be read.
bool hasAxis(const RunController& run, widgets::XAxis axis);

/// Maps the run's records to this axis.
XScale scaleOf(const RunController& run, widgets::XAxis axis);

/// x of a step on this axis, by the run's training records; nothing if there are none.
std::optional<double> xOfStep(const RunController& run, std::int64_t step, widgets::XAxis axis);

/// The step nearest to x; nothing if there are no training records.
std::optional<std::int64_t> stepAtX(const RunController& run, double x, widgets::XAxis axis);

}  // namespace lockstep::app
