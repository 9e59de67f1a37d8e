#include "widgets/curves/plot_view.h"

#include <algorithm>
#include <cmath>

#include "widgets/curves/value_range.h"

namespace lockstep::widgets {
namespace {

constexpr double kRoomAtTheEndPx = 9;

/// Whether the view shows all of the limits, so that it is not zoomed.
bool showsAllOf(Range view, Range limits) {
  const double slack = 1e-9 * (limits.second - limits.first);
  return view.first <= limits.first + slack && view.second >= limits.second - slack;
}

}  // namespace

Range zoomedAround(Range now, double centre, double factor, bool log) {
  if (log)
    return {centre * std::pow(now.first / centre, factor),
            centre * std::pow(now.second / centre, factor)};
  return {centre + (now.first - centre) * factor, centre + (now.second - centre) * factor};
}

void PlotView::setXAxis(XAxis axis) {
  if (axis_ != axis) xZoom_.reset();
  axis_ = axis;
}

void PlotView::setLogX(bool log) {
  logX_ = log;
  xZoom_.reset();
}

void PlotView::setLogY(bool log) {
  logY_ = log;
  yZoom_.reset();
}

void PlotView::setYLimits(std::optional<double> min, std::optional<double> max) {
  yMin_ = min;
  yMax_ = max;
}

bool PlotView::setXExtent(std::optional<Range> extent) {
  if (extent == xExtent_) return false;
  xExtent_ = extent;
  return true;
}

void PlotView::setWidth(int plotPx, int areaPx) {
  plotPx_ = plotPx;
  areaPx_ = areaPx;
}

bool PlotView::hasPoints() const {
  return std::any_of(curves_.begin(), curves_.end(),
                     [](const Curve& curve) { return curve.source && !curve.source->isEmpty(); });
}

std::optional<Range> PlotView::fullX() const {
  std::optional<Range> full = xExtent_;
  for (const Curve& curve : curves_) {
    if (!curve.source || curve.source->isEmpty()) continue;
    const Range own = curve.source->xRange();
    full = full ? Range(std::min(full->first, own.first), std::max(full->second, own.second)) : own;
  }
  if (!full) return full;
  if (logX_) {
    full->first =
        std::max(full->first, axis_ == XAxis::Step || axis_ == XAxis::Images ? 1.0 : 1e-2);
    full->second = std::max(full->second, full->first * 10);
  } else if (full->first == full->second) {
    full = Range(full->first - 0.5, full->second + 0.5);
  } else if (axis_ == XAxis::Step && full->first == 1) {
    full->first = 0;  // training begins before step 1
  }
  // Room for the marker of the last point.
  const double room = kRoomAtTheEndPx / std::max(40, plotPx_);
  full->second += logX_ ? full->second * (std::pow(full->second / full->first, room) - 1)
                        : (full->second - full->first) * room;
  return full;
}

/// The zoom, unless there are no points in it (of another or a truncated run): then everything.
Range PlotView::x() const {
  const Range all = fullX().value_or(Range(logX_ ? 1 : 0, logX_ ? 10 : 1));
  const bool hasPoints = xZoom_ && xZoom_->first < all.second && xZoom_->second > all.first;
  return hasPoints ? *xZoom_ : all;
}

std::size_t PlotView::columns() const { return static_cast<std::size_t>(std::max(2, areaPx_)); }

std::vector<double> PlotView::columnEdges() const {
  const Range view = x();
  std::vector<double> edges(columns() + 1);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double fraction = static_cast<double>(i) / static_cast<double>(columns());
    edges[i] = logX_ ? view.first * std::pow(view.second / view.first, fraction)
                     : view.first + (view.second - view.first) * fraction;
  }
  return edges;
}

std::vector<CurveSamples> PlotView::samples() const {
  const std::vector<double> edges = columnEdges();
  std::vector<CurveSamples> samples(curves_.size());
  for (std::size_t i = 0; i < curves_.size(); ++i)
    if (curves_[i].source && !curves_[i].source->isEmpty())
      samples[i] = curves_[i].source->sample(edges);
  return samples;
}

Range PlotView::valuesIn(Range view, const std::vector<CurveSamples>& drawn,
                         bool withOutliers) const {
  const ValueRangeOptions options{ignoreOutliers_ && !withOutliers, logY_, yMin_, yMax_};
  return valueRange(curves_, drawn, view.first, view.second, options);
}

Range PlotView::y(const std::vector<CurveSamples>& drawn) const {
  return yZoom_ ? *yZoom_ : valuesIn(x(), drawn, false);
}

std::vector<double> PlotView::placesAbove(const std::vector<CurveSamples>& drawn,
                                          double top) const {
  if (!ignoreOutliers_ || yZoom_) return {};
  const Range view = x();
  return widgets::placesAbove(drawn, view.first, view.second, top);
}

void PlotView::zoomX(Range target) {
  const auto all = fullX();
  if (!all) return;
  xZoom_ = rangeWithin(target, *all, logX_);
  if (showsAllOf(*xZoom_, *all)) xZoom_.reset();
}

/// Limits the zoom to the values in view, outliers included.
void PlotView::zoomY(Range target) {
  const Range view = x();
  const std::vector<CurveSamples> drawn = samples();
  const Range unzoomed = valuesIn(view, drawn, false), all = valuesIn(view, drawn, true);
  const Range limits(std::min(unzoomed.first, all.first), std::max(unzoomed.second, all.second));
  yZoom_ = rangeWithin(target, limits, logY_);
  if (showsAllOf(*yZoom_, limits) && unzoomed == limits) yZoom_.reset();
}

void PlotView::resetZoom() {
  xZoom_.reset();
  yZoom_.reset();
}

}  // namespace lockstep::widgets
