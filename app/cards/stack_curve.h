#pragma once

#include <QPointer>
#include <functional>
#include <memory>

#include "app/metrics/decimation.h"
#include "app/metrics/stack_series.h"
#include "app/runs/open/run_controller.h"
#include "widgets/curves/curve_source.h"

namespace lockstep::app {

/// One part of a stack as a curve: its upper edge, shaded down to the part below. Its values are
/// those of the part alone. Empty once the run is closed.
class StackCurve : public widgets::CurveSource {
 public:
  /// `stack`: of all parts, brought up to date by each.
  StackCurve(RunController* run, std::shared_ptr<StackSeries> stack, std::size_t part,
             widgets::XAxis axis);

  bool isEmpty() const override;
  std::pair<double, double> xRange() const override;
  widgets::CurveSamples sample(const std::vector<double>& columnEdges) const override;
  std::vector<double> valuesBetween(double low, double high, int atMost) const override;
  std::optional<widgets::CurveReading> nearest(double x) const override;
  widgets::RangeFigures figuresBetween(double low, double high) const override;
  std::optional<widgets::CurveReading> lowest() const override { return std::nullopt; }
  /// As logged: of the tag, of which the part is what others leave.
  std::function<widgets::CurvePoints()> allPoints() const override;

 private:
  /// Brought up to date; nullptr: there is none.
  const MetricSeries* top() const;
  /// nullptr: it is the lowest.
  const MetricSeries* base() const { return part_ == 0 ? nullptr : stack_->top(part_ - 1); }
  XScale scale() const;

  QPointer<RunController> run_;
  std::shared_ptr<StackSeries> stack_;
  std::size_t part_;
  widgets::XAxis axis_;
};

}  // namespace lockstep::app
