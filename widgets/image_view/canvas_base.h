#pragma once

#include <QPixmap>
#include <QPointF>
#include <QRectF>
#include <QRegion>
#include <QSize>
#include <chrono>
#include <functional>

class QColor;
class QPainter;
class QTransform;

namespace lockstep::widgets {

/// What a view shows of its picture, kept as pixels of the screen: moving it draws only what comes
/// into view, and what takes long is drawn in several frames, over what was there before.
class CanvasBase {
 public:
  /// Draws an area of the view, widget px.
  using Draw = std::function<void(QPainter& painter, const QRectF& area)>;
  /// Of a frame for drawing anew.
  static constexpr std::chrono::milliseconds kOfFrame{14};

  /// Everything is to be drawn anew.
  void drop() { stale_ = pixmap_.rect(); }
  /// A part of it, widget px, is to be drawn anew.
  void drop(const QRectF& part);
  /// The picture moves, widget px.
  void moveBy(QPointF by);
  /// Every point of the view goes to another one. Until it is drawn anew, what is there is
  /// stretched.
  void stretch(const QTransform& to, const QColor& background);
  /// Draws what is not there yet, as far as the time allows but always something, then all of it on
  /// the painter's device. Whether all of it is as drawn.
  bool paintOn(QPainter& painter, QSize size, double devicePixelRatio, const Draw& draw,
               std::chrono::milliseconds atMost = std::chrono::milliseconds::max());

 private:
  QPixmap pixmap_;  ///< null: nothing is drawn
  QRegion stale_;   ///< of pixmap_, its px
};

}  // namespace lockstep::widgets
