#include "app/cards/stack_curve.h"

#include "app/cards/metric_curve.h"

namespace lockstep::app {

StackCurve::StackCurve(RunController* run, std::shared_ptr<StackSeries> stack, std::size_t part,
                       widgets::XAxis axis)
    : run_(run), stack_(std::move(stack)), part_(part), axis_(axis) {}

const MetricSeries* StackCurve::top() const {
  if (!run_ || !hasAxis(*run_, axis_)) return nullptr;
  stack_->update(run_->history().metrics());
  return stack_->top(part_);
}

XScale StackCurve::scale() const { return scaleOf(*run_, axis_); }

bool StackCurve::isEmpty() const { return !top(); }

std::pair<double, double> StackCurve::xRange() const {
  const MetricSeries& own = *top();
  const XScale x = scale();
  return {x.at(own.axis(), 0), x.at(own.axis(), own.size() - 1)};
}

/// Only the smoothed edges: raw ones of several parts would cover one another.
widgets::CurveSamples StackCurve::sample(const std::vector<double>& columnEdges) const {
  const auto edgeOf = [&](const MetricSeries& series) {
    widgets::CurveSamples edge = decimate(series, scale(), columnEdges, true);
    return edge.smooth.empty() ? edge.raw : edge.smooth;
  };
  widgets::CurveSamples samples;
  samples.raw = edgeOf(*top());
  samples.bandHigh = samples.raw;
  if (base()) {
    samples.bandLow = edgeOf(*base());
  } else {
    for (const QPointF& point : samples.raw) samples.bandLow.push_back({point.x(), 0});
  }
  return samples;
}

std::vector<double> StackCurve::valuesBetween(double low, double high, int atMost) const {
  return sampleValues(*top(), scale(), low, high, atMost);
}

std::optional<widgets::CurveReading> StackCurve::nearest(double x) const {
  const MetricSeries* own = top();
  if (!own) return std::nullopt;
  const std::size_t index = nearestIndex(*own, scale(), x);
  widgets::CurveReading reading;
  reading.x = scale().at(own->axis(), index);
  reading.value = reading.smooth = own->smoothed(index);
  reading.base = base() ? base()->smoothed(index) : 0;
  reading.step = own->step(index);
  reading.seconds = own->axis().seconds(index);
  return reading;
}

widgets::RangeFigures StackCurve::figuresBetween(double low, double high) const {
  const MetricSeries* own = top();
  widgets::RangeFigures figures;
  if (!own) return figures;
  const MetricSeries* below = base();
  const XScale toX = scale();
  for (std::size_t i = toX.firstAt(own->axis(), low); i < own->size(); ++i) {
    const double x = toX.at(own->axis(), i);
    if (x > high) break;
    figures.add(x, own->value(i) - (below ? below->value(i) : 0.F));
  }
  return figures;
}

std::function<widgets::CurvePoints()> StackCurve::allPoints() const {
  const std::string& tag = stack_->tagOf(part_);
  return pointsOf(run_ ? run_->history().metrics().series(tag) : nullptr,
                  QString::fromStdString(tag));
}

}  // namespace lockstep::app
