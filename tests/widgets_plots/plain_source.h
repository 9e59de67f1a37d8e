#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::tests {

/// Returns the points unchanged and records what the plot asks for.
class PlainSource : public widgets::CurveSource {
 public:
  std::vector<QPointF> points;
  bool smoothed = false;
  mutable std::vector<double> lastEdges;

  bool isEmpty() const override { return points.empty(); }
  std::pair<double, double> xRange() const override {
    return {points.front().x(), points.back().x()};
  }
  widgets::CurveSamples sample(const std::vector<double>& columnEdges) const override {
    lastEdges = columnEdges;
    widgets::CurveSamples samples;
    samples.raw = points;
    if (smoothed) samples.smooth = points;
    for (const QPointF& point : points)
      if (!std::isfinite(point.y())) samples.nonFinite.push_back({point.x(), 1});
    return samples;
  }
  std::vector<double> valuesBetween(double low, double high, int) const override {
    std::vector<double> values;
    for (const QPointF& point : points)
      if (point.x() >= low && point.x() <= high && std::isfinite(point.y()))
        values.push_back(point.y());
    return values;
  }
  std::optional<widgets::CurveReading> nearest(double x) const override {
    if (points.empty()) return std::nullopt;
    const auto at =
        std::min_element(points.begin(), points.end(), [&](const QPointF& a, const QPointF& b) {
          return std::abs(a.x() - x) < std::abs(b.x() - x);
        });
    return reading(*at);
  }
  widgets::RangeFigures figuresBetween(double low, double high) const override {
    widgets::RangeFigures figures;
    for (const QPointF& point : points)
      if (point.x() >= low && point.x() <= high) figures.add(point.x(), point.y());
    return figures;
  }
  std::optional<widgets::CurveReading> lowest() const override {
    std::optional<widgets::CurveReading> found;
    for (const QPointF& point : points)
      if (std::isfinite(point.y()) && (!found || point.y() < found->value)) found = reading(point);
    return found;
  }

  std::function<widgets::CurvePoints()> allPoints() const override {
    return [points = points] {
      widgets::CurvePoints all{QStringLiteral("plain/tag"), {}, {}, {}};
      for (const QPointF& point : points) {
        all.steps.push_back(static_cast<qint64>(point.x()));
        all.seconds.push_back(static_cast<float>(point.x() / 2));
        all.values.push_back(static_cast<float>(point.y()));
      }
      return all;
    };
  }

 private:
  static widgets::CurveReading reading(const QPointF& point) {
    return {point.x(), point.y(), point.y(), static_cast<qint64>(point.x()), point.x() / 2};
  }
};

inline widgets::Curve curveOf(std::vector<QPointF> points,
                              widgets::Curve::Kind kind = widgets::Curve::Kind::Line) {
  auto source = std::make_shared<PlainSource>();
  source->points = std::move(points);
  widgets::Curve curve;
  curve.name =
      kind == widgets::Curve::Kind::Line ? QStringLiteral("train") : QStringLiteral("validation");
  curve.kind = kind;
  curve.source = source;
  return curve;
}

}  // namespace lockstep::tests
