#pragma once

#include <memory>
#include <vector>

#include "widgets/curves/curve_source.h"

class QCustomPlot;
class QColor;
class QCPGraph;

namespace lockstep::widgets {

struct Theme;

/// The items of a QCustomPlot that draw a list of curves: graphs, shaded gaps, marks and labels.
class CurveLayers {
 public:
  explicit CurveLayers(QCustomPlot* plot);
  ~CurveLayers();

  /// Creates the items again, in the theme's colours.
  void rebuild(const std::vector<Curve>& curves, const Theme& theme);
  /// Sets every curve's samples, downsampled to `columns` pixel columns, in its graphs.
  void fill(const std::vector<Curve>& curves, const std::vector<CurveSamples>& samples,
            std::size_t columns);
  /// Places the items that depend on the final axis ranges: labels, event marks, and a mark at the
  /// upper edge for each of `placesAbove` (ascending x), where points are above the plot.
  void place(const std::vector<Curve>& curves, const std::vector<EventMark>& marks,
             const std::vector<double>& placesAbove, XAxis axis);
  /// Describes the shading at a point; empty: there is none.
  QString shadingAt(const std::vector<Curve>& curves, double x, double y) const;
  int pointCount(int curve) const;
  /// Number of raw points of the curve with the most.
  int maxPointCount() const;

 private:
  struct Impl;
  struct CurveGraphs;
  void buildCurve(const Curve& curve, CurveGraphs& graphs, const Theme& theme,
                  const QColor& lowestColor);
  void buildLabel(const QColor& color);
  QPointF toPixel(double x, double y) const;
  void styleLine(const Curve& curve, CurveGraphs& graphs, const CurveSamples& samples,
                 std::size_t columns);
  void fillGap(const Curve& curve, CurveGraphs& graphs, const CurveSamples& own,
               const CurveSamples& other);
  void placeMarks(QCPGraph* graph, const std::vector<double>& xs, double yPx);
  void placeLabel(const Curve& curve, XAxis axis);
  std::vector<std::vector<QPointF>> drawnLines() const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::widgets
