#include "widgets/image_view/canvas_base.h"

#include <QPainter>
#include <cmath>

namespace lockstep::widgets {

void CanvasBase::moveBy(QPointF by) {
  if (pixmap_.isNull()) return;
  constexpr double kWhole = 1e-6;
  const QPointF exact = by * pixmap_.devicePixelRatio();
  const QPoint px = exact.toPoint();
  const QRect moved = pixmap_.rect().translated(px);
  if ((exact - px).manhattanLength() > kWhole || !moved.intersects(pixmap_.rect())) return drop();
  pixmap_.scroll(px.x(), px.y(), pixmap_.rect());
  stale_ = (stale_.translated(px) & pixmap_.rect()) | (QRegion(pixmap_.rect()) - moved);
}

void CanvasBase::paintOn(QPainter& painter, QSize size, double devicePixelRatio, const Draw& draw) {
  const QSize px = (QSizeF(size) * devicePixelRatio).toSize();
  if (pixmap_.size() != px || pixmap_.devicePixelRatio() != devicePixelRatio) {
    pixmap_ = QPixmap(px);
    pixmap_.setDevicePixelRatio(devicePixelRatio);
    stale_ = pixmap_.rect();
  }
  for (const QRect& part : stale_) {
    const QRectF area(QPointF(part.topLeft()) / devicePixelRatio,
                      QSizeF(part.size()) / devicePixelRatio);
    QPainter onPixmap(&pixmap_);
    onPixmap.setClipRect(area);
    draw(onPixmap, area);
  }
  stale_ = QRegion();
  painter.drawPixmap(0, 0, pixmap_);
}

}  // namespace lockstep::widgets
