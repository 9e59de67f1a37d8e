#pragma once

#include <QPixmap>
#include <QPointF>
#include <QRegion>
#include <QSize>
#include <functional>

class QPainter;

namespace lockstep::widgets {

/// What a view shows of its picture, kept as pixels of the screen: moving it draws only what comes
/// into view.
class CanvasBase {
 public:
  /// Draws an area of the view, widget px.
  using Draw = std::function<void(QPainter& painter, const QRectF& area)>;

  /// Everything is to be drawn anew.
  void drop() { pixmap_ = QPixmap(); }
  /// The picture moves, widget px.
  void moveBy(QPointF by);
  /// Draws what is not there yet, then all of it on the painter's device.
  void paintOn(QPainter& painter, QSize size, double devicePixelRatio, const Draw& draw);

 private:
  QPixmap pixmap_;  ///< null: nothing is drawn
  QRegion stale_;   ///< of pixmap_, its px
};

}  // namespace lockstep::widgets
