#include "app/cards/metric_curve.h"

#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

/// The series that maps steps to x; nullptr if the run has no value on this axis.
const MetricSeries* trainingRecords(const RunController& run, widgets::XAxis axis) {
  const MetricSeries* records = run.history().metrics().series(events::tags::kTrainTotalLoss);
  return records && records->size() > 0 && hasAxis(run, axis) ? records : nullptr;
}

}  // namespace

XScale scaleOf(const RunController& run, widgets::XAxis axis) {
  return {axis, run.info().stepsPerEpoch.value_or(0),
          static_cast<double>(run.evaluationPlan().imagesPerStep),
          run.history().metrics().baseTime()};
}

bool hasAxis(const RunController& run, widgets::XAxis axis) {
  if (axis == widgets::XAxis::Images) return run.evaluationPlan().imagesPerStep > 0;
  return axis != widgets::XAxis::Epoch || run.info().stepsPerEpoch;
}

MetricCurve::MetricCurve(RunController* run, std::string tag, widgets::XAxis axis, bool smooth)
    : run_(run), tag_(std::move(tag)), axis_(axis), smooth_(smooth) {}

/// nullptr also if the run has no value on this axis.
const MetricSeries* MetricCurve::series() const {
  if (!run_ || !hasAxis(*run_, axis_)) return nullptr;
  return run_->history().metrics().series(tag_);
}

XScale MetricCurve::scale() const { return scaleOf(*run_, axis_); }

bool MetricCurve::isEmpty() const {
  const MetricSeries* own = series();
  return !own || own->size() == 0;
}

std::pair<double, double> MetricCurve::xRange() const {
  const MetricSeries* own = series();
  const XScale x = scale();
  return {x.at(own->axis(), 0), x.at(own->axis(), own->size() - 1)};
}

widgets::CurveSamples MetricCurve::sample(const std::vector<double>& columnEdges) const {
  return decimate(*series(), scale(), columnEdges, smooth_);
}

std::vector<double> MetricCurve::valuesBetween(double low, double high, int atMost) const {
  return sampleValues(*series(), scale(), low, high, atMost);
}

widgets::CurveReading readingOf(const MetricSeries& own, std::size_t index, const XScale& scale,
                                bool smooth) {
  widgets::CurveReading reading;
  reading.x = scale.at(own.axis(), index);
  reading.value = own.value(index);
  reading.smooth = smooth ? own.smoothed(index) : reading.value;
  reading.step = own.step(index);
  reading.seconds = own.axis().seconds(index);
  return reading;
}

std::optional<widgets::CurveReading> MetricCurve::nearest(double x) const {
  const MetricSeries* own = series();
  if (!own || own->size() == 0) return std::nullopt;
  return readingOf(*own, nearestIndex(*own, scale(), x), scale(), smooth_);
}

widgets::RangeFigures MetricCurve::figuresBetween(double low, double high) const {
  return figures_.between(*series(), scale(), low, high);
}

std::optional<widgets::CurveReading> MetricCurve::lowest() const {
  const MetricSeries* own = series();
  const auto index = own ? own->lowest() : std::nullopt;
  if (!index) return std::nullopt;
  return readingOf(*own, *index, scale(), smooth_);
}

std::function<widgets::CurvePoints()> MetricCurve::allPoints() const {
  return pointsOf(series(), QString::fromStdString(tag_));
}

std::function<widgets::CurvePoints()> pointsOf(const MetricSeries* own, const QString& tag) {
  if (!own) return [tag] { return widgets::CurvePoints{tag, {}, {}, {}}; };
  return [tag, axis = own->axis(), values = own->values()] {
    widgets::CurvePoints points{tag, {}, {}, {}};
    points.steps.reserve(values.size());
    points.seconds.reserve(values.size());
    points.values.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      points.steps.push_back(axis.step(i));
      points.seconds.push_back(axis.seconds(i));
      points.values.push_back(values[i]);
    }
    return points;
  };
}

std::optional<double> xOfStep(const RunController& run, std::int64_t step, widgets::XAxis axis) {
  const MetricSeries* records = trainingRecords(run, axis);
  if (!records) return std::nullopt;
  return scaleOf(run, axis).at(records->axis(),
                               nearestIndex(*records, XScale{}, static_cast<double>(step)));
}

std::optional<std::int64_t> stepAtX(const RunController& run, double x, widgets::XAxis axis) {
  const MetricSeries* records = trainingRecords(run, axis);
  if (!records) return std::nullopt;
  return records->step(nearestIndex(*records, scaleOf(run, axis), x));
}

}  // namespace lockstep::app
