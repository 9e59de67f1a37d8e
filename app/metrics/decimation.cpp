#include "app/metrics/decimation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::app {
namespace {

using widgets::CurveSamples;

void addNonFinite(const MetricSeries& series, const XScale& scale, std::size_t begin,
                  std::size_t end, double columnWidth, std::vector<QPointF>& points) {
  const auto& runs = series.nonFiniteRuns();
  auto run = std::lower_bound(runs.begin(), runs.end(), begin,
                              [](const auto& r, std::size_t i) { return r.second <= i; });
  double lastX = -std::numeric_limits<double>::infinity();
  for (; run != runs.end() && run->first < end; ++run) {
    double y = 0;
    if (run->first > 0) {
      y = series.value(run->first - 1);
    } else if (run->second < series.size()) {
      y = series.value(run->second);
    }
    for (std::size_t i = std::max(run->first, begin); i < std::min(run->second, end); ++i) {
      const double x = scale.at(series.axis(), i);
      if (x - lastX < columnWidth) continue;
      points.push_back({x, y});
      lastX = x;
    }
  }
}

void addEveryPoint(const MetricSeries& series, const XScale& scale, std::size_t begin,
                   std::size_t end, bool smooth, CurveSamples& curve) {
  const std::vector<double> smoothed =
      smooth ? series.smoothedRange(begin, end) : std::vector<double>();
  for (std::size_t i = begin; i < end; ++i) {
    const double x = scale.at(series.axis(), i);
    const double y = series.value(i);
    curve.raw.push_back({x, std::isfinite(y) ? y : std::nan("")});
    if (smooth) curve.smooth.push_back({x, std::isfinite(y) ? smoothed[i - begin] : std::nan("")});
  }
}

void addColumn(const MetricSeries& series, const XScale& scale, std::size_t begin, std::size_t end,
               bool smooth, CurveSamples& curve) {
  const double firstX = scale.at(series.axis(), begin), lastX = scale.at(series.axis(), end - 1);
  const ValueSpan span = series.span(begin, end);
  if (!span.hasFinite) {
    curve.raw.push_back({firstX, std::nan("")});
    if (smooth) curve.smooth.push_back({firstX, std::nan("")});
    return;
  }
  // First the end nearer to the previous point, so that the line crosses the column only once.
  const double before =
      curve.raw.empty() || std::isnan(curve.raw.back().y()) ? span.min : curve.raw.back().y();
  const bool minFirst = std::abs(before - span.min) <= std::abs(before - span.max);
  curve.raw.push_back({firstX, minFirst ? span.min : span.max});
  if (end - begin > 1) curve.raw.push_back({lastX, minFirst ? span.max : span.min});
  if (!smooth) return;
  std::size_t last = end - 1;
  while (last > begin && !std::isfinite(series.value(last))) --last;
  curve.smooth.push_back({scale.at(series.axis(), last), series.smoothed(last)});
}

}  // namespace

double XScale::at(const StepAxis& axis, std::size_t index) const {
  switch (quantity) {
    case widgets::XAxis::Step:
      return static_cast<double>(axis.step(index));
    case widgets::XAxis::Epoch:
      return static_cast<double>(axis.step(index)) / stepsPerEpoch;
    case widgets::XAxis::Images:
      return static_cast<double>(axis.step(index)) * imagesPerStep;
    case widgets::XAxis::Relative:
      return axis.seconds(index);
    case widgets::XAxis::Wall:
      return baseTime + axis.seconds(index);
  }
  return 0;
}

std::size_t XScale::firstAt(const StepAxis& axis, double x) const {
  std::size_t low = 0, high = axis.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (at(axis, middle) < x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

widgets::CurveSamples decimate(const MetricSeries& series, const XScale& scale,
                               const std::vector<double>& columnEdges, bool smooth) {
  CurveSamples curve;
  if (series.size() == 0 || columnEdges.size() < 2) return curve;
  smooth = smooth && series.smoothing() > 0;
  const std::size_t columns = columnEdges.size() - 1;
  const std::size_t first = scale.firstAt(series.axis(), columnEdges.front());
  const std::size_t last = scale.firstAt(series.axis(), columnEdges.back());
  const std::size_t begin = first > 0 ? first - 1 : 0;
  // A point on the last edge is in view; one more is beyond it.
  const bool isOnEdge = last < series.size() && scale.at(series.axis(), last) == columnEdges.back();
  const std::size_t end = std::min(series.size(), last + (isOnEdge ? 2 : 1));
  if (end - begin <= 2 * columns) {
    addEveryPoint(series, scale, begin, end, smooth, curve);
  } else {
    if (begin < first) addColumn(series, scale, begin, first, smooth, curve);
    std::size_t columnBegin = first;
    for (std::size_t column = 1; column <= columns && columnBegin < last; ++column) {
      const std::size_t columnEnd =
          std::min(last, scale.firstAt(series.axis(), columnEdges[column]));
      if (columnEnd > columnBegin) addColumn(series, scale, columnBegin, columnEnd, smooth, curve);
      columnBegin = std::max(columnBegin, columnEnd);
    }
    for (std::size_t i = last; i < end; ++i) addColumn(series, scale, i, i + 1, smooth, curve);
  }
  addNonFinite(series, scale, begin, end,
               (columnEdges.back() - columnEdges.front()) / static_cast<double>(columns),
               curve.nonFinite);
  return curve;
}

std::size_t nearestIndex(const MetricSeries& series, const XScale& scale, double x) {
  const std::size_t after = scale.firstAt(series.axis(), x);
  if (after == 0) return 0;
  if (after >= series.size()) return series.size() - 1;
  return x - scale.at(series.axis(), after - 1) <= scale.at(series.axis(), after) - x ? after - 1
                                                                                      : after;
}

std::vector<double> sampleValues(const MetricSeries& series, const XScale& scale, double low,
                                 double high, int atMost) {
  std::vector<double> values;
  const std::size_t begin = scale.firstAt(series.axis(), low);
  std::size_t end = std::min(series.size(), scale.firstAt(series.axis(), high) + 1);
  if (end > begin && scale.at(series.axis(), end - 1) > high) --end;
  if (end <= begin || atMost < 1) return values;
  const double stride = std::max(1.0, static_cast<double>(end - begin) / atMost);
  for (double at = 0; at < static_cast<double>(end - begin); at += stride) {
    const double value = series.value(begin + static_cast<std::size_t>(at));
    if (std::isfinite(value)) values.push_back(value);
  }
  return values;
}

}  // namespace lockstep::app
