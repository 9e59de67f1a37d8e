#pragma once

#include <QPointF>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/curves/plot_view.h"
#include "widgets/curves/value_range.h"
#include "widgets/draw_queue.h"
#include "widgets/plots/curve_layers.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/plot_overlay.h"

class QCustomPlot;

namespace lockstep::widgets {

/// What CurvePlot consists of: curve_plot.cpp draws it, curve_plot_cursor.cpp moves its cursor.
struct CurvePlot::Impl {
  CurvePlot* owner = nullptr;
  QCustomPlot* plot = nullptr;
  PlotOverlay* overlay = nullptr;
  std::unique_ptr<CurveLayers> layers;
  DrawQueue* queue = nullptr;
  PlotView view;
  std::vector<EventMark> marks;
  bool isUpToDate = false;
  bool isStale = true;         ///< axes, background or size have changed: what is drawn is not all
  bool isDrawing = false;      ///< its lines, in another thread
  bool isAwaited = false;      ///< something has changed since
  bool waitsForSight = false;  ///< it has changed while it was hidden or scrolled away
  std::vector<double> placesAbove;  ///< ascending x of the outliers that are not shown
  std::optional<double> cursor;
  bool withReadings = false;
  std::optional<Range> selected;
  QPointF pointer;

  Range xRange() const;
  Range yRange() const;
  QPointF toPixel(double x, double y) const;
  QPointF toValues(const QPointF& pixel) const;
  /// Zooms in x, or in y if the pointer is over the y axis.
  void zoomAt(const QPointF& pixel, double factor);
  /// The ranges that a zoom sets, before it is drawn: the next move of the mouse is from there.
  void setRanges();
  /// Only what is in sight gets a size: it takes QCustomPlot's time.
  void fit();
  void placeCursor();
  QStringList notesAt(double x, double xPx) const;
};

}  // namespace lockstep::widgets
