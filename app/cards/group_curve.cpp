#include "app/cards/group_curve.h"

#include <algorithm>

#include "app/cards/metric_curve.h"

namespace lockstep::app {

GroupCurve::GroupCurve(std::vector<QPointer<RunController>> runs, std::string tag,
                       widgets::XAxis axis, bool smooth)
    : runs_(std::move(runs)), tag_(std::move(tag)), axis_(axis), smooth_(smooth) {}

const MetricSeries* GroupCurve::mean() const {
  std::vector<const MetricStore*> stores;
  for (const auto& run : runs_) {
    if (!run || !hasAxis(*run, axis_)) return nullptr;
    stores.push_back(&run->history().metrics());
  }
  series_.update(stores, tag_);
  return series_.mean();
}

XScale GroupCurve::scale() const {
  XScale scale = scaleOf(*runs_.front(), axis_);
  scale.baseTime = series_.baseTime();
  return scale;
}

bool GroupCurve::isEmpty() const { return !mean(); }

std::pair<double, double> GroupCurve::xRange() const {
  const MetricSeries& own = *mean();
  const XScale x = scale();
  return {x.at(own.axis(), 0), x.at(own.axis(), own.size() - 1)};
}

widgets::CurveSamples GroupCurve::sample(const std::vector<double>& columnEdges) const {
  widgets::CurveSamples samples = decimate(*mean(), scale(), columnEdges, smooth_);
  const auto edgeOf = [&](const MetricSeries& series) {
    widgets::CurveSamples edge = decimate(series, scale(), columnEdges, smooth_);
    return edge.smooth.empty() ? edge.raw : edge.smooth;
  };
  samples.bandLow = edgeOf(*series_.low());
  samples.bandHigh = edgeOf(*series_.high());
  return samples;
}

std::vector<double> GroupCurve::valuesBetween(double low, double high, int atMost) const {
  const MetricSeries* own = mean();
  return own ? sampleValues(*own, scale(), low, high, atMost) : std::vector<double>();
}

widgets::CurveReading GroupCurve::reading(const MetricSeries& mean, std::size_t index) const {
  widgets::CurveReading reading = readingOf(mean, index, scale(), smooth_);
  reading.deviation = series_.high()->value(index) - reading.value;
  reading.runs = series_.runCount(index);
  return reading;
}

std::optional<widgets::CurveReading> GroupCurve::nearest(double x) const {
  const MetricSeries* own = mean();
  if (!own) return std::nullopt;
  return reading(*own, nearestIndex(*own, scale(), x));
}

widgets::RangeFigures GroupCurve::figuresBetween(double low, double high) const {
  const MetricSeries* own = mean();
  return own ? figures_.between(*own, scale(), low, high) : widgets::RangeFigures();
}

std::optional<widgets::CurveReading> GroupCurve::lowest() const {
  const MetricSeries* own = mean();
  const auto index = own ? own->lowest() : std::nullopt;
  if (!index) return std::nullopt;
  return reading(*own, *index);
}

std::function<widgets::CurvePoints()> GroupCurve::allPoints() const {
  return pointsOf(mean(), QString::fromStdString(tag_));
}

}  // namespace lockstep::app
