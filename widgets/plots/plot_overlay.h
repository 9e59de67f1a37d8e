#pragma once

#include <QColor>
#include <QPoint>
#include <QPointF>
#include <QPointer>
#include <QRect>
#include <QVector>
#include <QWidget>
#include <optional>
#include <utility>

#include "widgets/plots/readings_tip.h"

namespace lockstep::widgets {

/// Draws the cursor line, the readings and the zoom box over a plot, and emits the pointer's
/// movements in pixels. A widget of its own, so that moving the pointer does not replot the curves.
class PlotOverlay : public QWidget {
  Q_OBJECT

 public:
  explicit PlotOverlay(QWidget* parent);
  ~PlotOverlay() override;

  /// Area of the curves within this widget.
  void setPlotArea(const QRect& area);
  /// `xPx`: of the cursor line; `dots`: points on the curves; `readings`: only for the plot under
  /// the pointer.
  void showCursor(std::optional<double> xPx, QVector<QPair<QPointF, QColor>> dots,
                  std::optional<Readings> readings);

  /// Left and right end of the range that is selected, px.
  void showRange(std::optional<std::pair<double, double>> rangePx);

 Q_SIGNALS:
  /// The plot is in sight: nothing covers this widget.
  void painted();
  void pointerMoved(const QPointF& position);
  void pointerLeft();
  /// With the left button, without a drag.
  void clicked(const QPointF& position);
  void boxZoomed(const QRectF& box);
  /// Ctrl+drag: while it is dragged.
  void rangeDragged(double fromPx, double toPx);
  /// `delta`: px since the last signal.
  void panned(const QPointF& delta);
  /// Ctrl+wheel; factor < 1 zooms in. The wheel alone scrolls the page.
  void wheelZoomed(const QPointF& position, double factor);
  void resetRequested();
  void menuRequested(const QPoint& globalPosition);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  enum class Drag { None, Box, Pan, Select };
  void showReadings();
  QRectF dragBox() const;
  void paintRange(QPainter* painter) const;
  void dragRange(const QPointF& position);

  QRect area_;
  std::optional<double> cursorPx_;
  std::optional<std::pair<double, double>> rangePx_;
  QVector<QPair<QPointF, QColor>> dots_;
  std::optional<Readings> readings_;
  QPointer<ReadingsTip> tip_;  ///< child of the window, created with the first readings
  Drag drag_ = Drag::None;
  QPointF pressedAt_, draggedTo_;
};

}  // namespace lockstep::widgets
