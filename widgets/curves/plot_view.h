#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

using Range = std::pair<double, double>;

/// `factor` times as wide a range around a value that keeps its place.
Range zoomedAround(Range now, double centre, double factor, bool log);

/// Which part of its curves a plot shows: all of them, or a zoom that stays within them.
class PlotView {
 public:
  void setCurves(std::vector<Curve> curves) { curves_ = std::move(curves); }
  const std::vector<Curve>& curves() const { return curves_; }
  /// Another axis ends the zoom into x.
  void setXAxis(XAxis axis);
  XAxis xAxis() const { return axis_; }
  void setLogX(bool log);
  void setLogY(bool log);
  bool isLogX() const { return logX_; }
  bool isLogY() const { return logY_; }
  void setIgnoreOutliers(bool ignore) { ignoreOutliers_ = ignore; }
  bool isIgnoringOutliers() const { return ignoreOutliers_; }
  /// Limits that hold whatever the values are.
  void setYLimits(std::optional<double> least, std::optional<double> most);
  /// x that is shown beside that of the own curves while there is no zoom; true: it is another.
  bool setXExtent(std::optional<Range> extent);
  /// px of the whole plot, and of its area of curves.
  void setWidth(int plotPx, int areaPx);

  void zoomX(Range wanted);
  void zoomY(Range wanted);
  void resetZoom();
  bool isZoomed() const { return xZoom_ || yZoom_; }

  Range x() const;
  /// Of pixels, of the area of curves.
  std::size_t columns() const;
  /// Of every curve over x(), cut to the columns.
  std::vector<CurveSamples> samples() const;
  /// `drawn`: the samples.
  Range y(const std::vector<CurveSamples>& drawn) const;
  /// x of what ignoring outliers leaves out above `top`, rising. Who zooms knows that there is
  /// more.
  std::vector<double> placesAbove(const std::vector<CurveSamples>& drawn, double top) const;

 private:
  std::optional<Range> fullX() const;
  std::vector<double> columnEdges() const;
  Range valuesIn(Range view, const std::vector<CurveSamples>& drawn, bool withOutliers) const;

  std::vector<Curve> curves_;
  XAxis axis_ = XAxis::Step;
  bool logX_ = false, logY_ = false, ignoreOutliers_ = true;
  std::optional<double> yLeast_, yMost_;
  std::optional<Range> xZoom_, yZoom_, xExtent_;
  int plotPx_ = 0, areaPx_ = 0;
};

}  // namespace lockstep::widgets
