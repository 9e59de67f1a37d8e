#pragma once

#include <QPointer>
#include <functional>
#include <string>
#include <vector>

#include "app/metrics/decimation.h"
#include "app/metrics/group_series.h"
#include "app/metrics/series_figures.h"
#include "app/runs/open/run_controller.h"
#include "widgets/curves/curve_source.h"

namespace lockstep::app {

/// The mean of one tag over open runs, with a band of one standard deviation. Empty once one of
/// them is closed, or if one has no value on this axis.
class GroupCurve : public widgets::CurveSource {
 public:
  GroupCurve(std::vector<QPointer<RunController>> runs, std::string tag, widgets::XAxis axis,
             bool smooth);

  bool isEmpty() const override;
  std::pair<double, double> xRange() const override;
  widgets::CurveSamples sample(const std::vector<double>& columnEdges) const override;
  std::vector<double> valuesBetween(double low, double high, int atMost) const override;
  std::optional<widgets::CurveReading> nearest(double x) const override;
  widgets::RangeFigures figuresBetween(double low, double high) const override;
  std::optional<widgets::CurveReading> lowest() const override;
  /// Of the mean.
  std::function<widgets::CurvePoints()> allPoints() const override;

 private:
  /// Brought up to date; nullptr: there is none.
  const MetricSeries* mean() const;
  XScale scale() const;
  widgets::CurveReading reading(const MetricSeries& mean, std::size_t index) const;

  std::vector<QPointer<RunController>> runs_;
  std::string tag_;
  widgets::XAxis axis_;
  bool smooth_;
  mutable GroupSeries series_;
  mutable SeriesFigures figures_;
};

}  // namespace lockstep::app
