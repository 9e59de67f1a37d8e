#pragma once

#include <memory>
#include <vector>

#include "widgets/curves/curve_source.h"

class QCustomPlot;
class QColor;
class QCPGraph;

namespace lockstep::widgets {

struct Theme;

/// What one list of curves is made of inside a QCustomPlot: graphs, shaded gaps, marks and labels.
class CurveLayers {
 public:
  explicit CurveLayers(QCustomPlot* plot);
  ~CurveLayers();

  /// Makes the parts anew, in the theme's colours.
  void rebuild(const std::vector<Curve>& curves, const Theme& theme);
  /// Hands every curve's samples, cut to so many columns, to its graphs.
  void fill(const std::vector<Curve>& curves, const std::vector<CurveSamples>& samples,
            std::size_t columns);
  /// Places what depends on the final axis ranges: labels, event marks, and a mark at the upper
  /// edge over each of the places (rising x) where points lie above it.
  void place(const std::vector<Curve>& curves, const std::vector<EventMark>& marks,
             const std::vector<double>& placesAbove, XAxis axis);
  /// What the shading at a point stands for; empty: there is none.
  QString shadingAt(const std::vector<Curve>& curves, double x, double y) const;
  int pointCount(int curve) const;
  /// Of the raw line that has most.
  int greatestPointCount() const;

 private:
  struct Parts;
  struct CurveParts;
  void buildCurve(const Curve& curve, CurveParts& parts, const Theme& theme,
                  const QColor& lowestColor);
  void buildLabel(const QColor& color);
  QPointF toPixel(double x, double y) const;
  void styleLine(const Curve& curve, CurveParts& parts, const CurveSamples& samples,
                 std::size_t columns);
  void fillGap(const Curve& curve, CurveParts& parts, const CurveSamples& own,
               const CurveSamples& other);
  void placeMarks(QCPGraph* graph, const std::vector<double>& xs, double yPx);
  void placeLabel(const Curve& curve, XAxis axis);
  std::vector<std::vector<QPointF>> drawnLines() const;

  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep::widgets
