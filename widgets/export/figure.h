#pragma once

#include <QCoreApplication>
#include <QSizeF>
#include <QString>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "widgets/curves/curve_source.h"
#include "widgets/curves/plot_view.h"
#include "widgets/plots/curve_lines.h"

/// What plots show, as values that any thread can write to a file. Always in the light theme.
namespace lockstep::widgets {

struct FigureCurve {
  Curve curve;                          ///< without its source
  CurveSamples samples;                 ///< of a drawing
  std::optional<CurveReading> lowest;   ///< of a drawing
  std::function<CurvePoints()> points;  ///< of a table; empty: none
};

struct FigurePlot {
  QString title;
  XAxis axis = XAxis::Step;
  bool isLogX = false, isLogY = false;
  Range x{0, 1}, y{0, 1};  ///< of a drawing
  std::vector<FigureCurve> curves;
  std::vector<EventMark> marks;  ///< of a drawing: those in x

  /// Of the curves, without their samples.
  std::vector<Curve> styles() const;
  /// "Step", "Epoch"; of times with their unit.
  QString xName() const;
  /// "Loss" of "Loss: training and held-out"; a unit is in the title.
  QString yName() const;

  Q_DECLARE_TR_FUNCTIONS(Figure)
};

/// A plot, or those of a page in their order.
struct Figure {
  struct Run {
    QString name;
    int styleIndex = 0;
  };
  std::vector<Run> runs;  ///< the current one first
  std::vector<FigurePlot> plots;

  /// "lr-0.02, lr-0.05"
  QString runNames() const;
};

/// How plots share a page. px of 1/96 inch.
struct FigureLayout {
  int columns = 1;
  QSizeF plotPx;
};
FigureLayout figureLayout(std::size_t plots);

enum class FigureContent {
  Drawing,  ///< the view, downsampled to the pixel columns of a printed plot as on the screen
  Table     ///< every point
};
/// GUI thread; the cost does not grow with the number of points. `plots`: number of plots in the
/// figure.
FigurePlot figurePlot(const PlotView& view, const QString& title, std::size_t plots,
                      FigureContent content, const std::vector<EventMark>& marks = {});

/// What is shaded at a curve of a drawing, in values: around the mean of a group, below a part of a
/// stack, between a held-out curve and its training curve.
std::vector<CurveLines::Band> bandsAt(const FigurePlot& plot, std::size_t curve);

}  // namespace lockstep::widgets
