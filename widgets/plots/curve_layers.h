#pragma once

#include <QCoreApplication>
#include <functional>
#include <memory>
#include <vector>

#include "widgets/curves/curve_source.h"

class QCustomPlot;

namespace lockstep::widgets {

/// What a plot draws in its area: curves, the shaded gaps between them, marks and a label.
class CurveLayers {
  Q_DECLARE_TR_FUNCTIONS(CurvePlot)

 public:
  explicit CurveLayers(QCustomPlot* plot);
  ~CurveLayers();

  struct Content {
    const std::vector<Curve>& curves;
    std::vector<CurveSamples> samples;  ///< of every curve, downsampled to `columns` pixel columns
    std::size_t columns = 0;
    const std::vector<EventMark>& marks;
    const std::vector<double>& placesAbove;  ///< ascending x where points are above the plot
    XAxis axis = XAxis::Step;
  };
  /// What the next replot draws. Call it once the ranges of the axes are set. Returns false if not
  /// a pixel of it differs from what was shown before, with the same axes; else the lines are drawn
  /// in another thread, and then `drawn` is called, unless newer ones were shown in between.
  bool show(Content content, std::function<void()> drawn);
  /// Describes the shading at a point; empty: there is none.
  QString shadingAt(const std::vector<Curve>& curves, double x, double y) const;
  int pointCount(int curve) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::widgets
