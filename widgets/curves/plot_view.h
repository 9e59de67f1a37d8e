#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

using Range = std::pair<double, double>;

/// The range scaled by `factor` around `centre`, which stays at its place in the range.
Range zoomedAround(Range now, double centre, double factor, bool log);

/// The axis ranges that a plot shows: all of its curves, or a zoom within them.
class PlotView {
 public:
  void setCurves(std::vector<Curve> curves) { curves_ = std::move(curves); }
  const std::vector<Curve>& curves() const { return curves_; }
  /// A change of the axis resets the zoom in x.
  void setXAxis(XAxis axis);
  XAxis xAxis() const { return axis_; }
  void setLogX(bool log);
  void setLogY(bool log);
  bool isLogX() const { return logX_; }
  bool isLogY() const { return logY_; }
  void setIgnoreOutliers(bool ignore) { ignoreOutliers_ = ignore; }
  bool isIgnoringOutliers() const { return ignoreOutliers_; }
  /// Fixed limits of y, whatever the values are.
  void setYLimits(std::optional<double> min, std::optional<double> max);
  /// A range of x that is always shown while there is no zoom, also where there are no points.
  /// Returns whether it changed.
  bool setXExtent(std::optional<Range> extent);
  /// px of the whole plot, and of its area of curves.
  void setWidth(int plotPx, int areaPx);

  void zoomX(Range target);
  void zoomY(Range target);
  void resetZoom();
  bool isZoomed() const { return xZoom_ || yZoom_; }
  const std::optional<Range>& xZoom() const { return xZoom_; }
  const std::optional<Range>& yZoom() const { return yZoom_; }

  /// Whether any curve has a point.
  bool hasPoints() const;
  Range x() const;
  /// Number of pixel columns of the area of curves.
  std::size_t columns() const;
  /// Every curve over x(), downsampled to the columns.
  std::vector<CurveSamples> samples() const;
  /// `drawn`: samples().
  Range y(const std::vector<CurveSamples>& drawn) const;
  /// Ascending x of the outliers above `top` that are not shown. None while zoomed in y.
  std::vector<double> placesAbove(const std::vector<CurveSamples>& drawn, double top) const;

 private:
  std::optional<Range> fullX() const;
  std::vector<double> columnEdges() const;
  Range valuesIn(Range view, const std::vector<CurveSamples>& drawn, bool withOutliers) const;

  std::vector<Curve> curves_;
  XAxis axis_ = XAxis::Step;
  bool logX_ = false, logY_ = false, ignoreOutliers_ = true;
  std::optional<double> yMin_, yMax_;
  std::optional<Range> xZoom_, yZoom_, xExtent_;
  int plotPx_ = 0, areaPx_ = 0;
};

}  // namespace lockstep::widgets
