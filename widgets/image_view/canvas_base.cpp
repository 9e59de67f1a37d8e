#include "widgets/image_view/canvas_base.h"

#include <QElapsedTimer>
#include <QPainter>
#include <QTransform>
#include <cmath>
#include <utility>
#include <vector>

namespace lockstep::widgets {
namespace {

constexpr int kSidePx = 256;  ///< of what is drawn before the clock is looked at

std::vector<QRect> squaresOf(const QRegion& region) {
  std::vector<QRect> squares;
  for (const QRect& rect : region)
    for (int y = rect.top(); y <= rect.bottom(); y += kSidePx)
      for (int x = rect.left(); x <= rect.right(); x += kSidePx)
        squares.push_back(QRect(x, y, kSidePx, kSidePx) & rect);
  return squares;
}

}  // namespace

void CanvasBase::drop(const QRectF& part) {
  const double ratio = pixmap_.devicePixelRatio();
  stale_ |= QRectF(part.topLeft() * ratio, part.size() * ratio).toAlignedRect() & pixmap_.rect();
}

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

void CanvasBase::stretch(const QTransform& to, const QColor& background) {
  if (pixmap_.isNull()) return;
  QPixmap stretched(pixmap_.size());
  stretched.setDevicePixelRatio(pixmap_.devicePixelRatio());
  stretched.fill(background);
  QPainter painter(&stretched);
  painter.setTransform(to);
  painter.drawPixmap(0, 0, pixmap_);
  painter.end();
  pixmap_ = std::move(stretched);
  drop();
}

bool CanvasBase::paintOn(QPainter& painter, QSize size, double devicePixelRatio, const Draw& draw,
                         std::chrono::milliseconds atMost) {
  const QSize px = (QSizeF(size) * devicePixelRatio).toSize();
  if (pixmap_.size() != px || pixmap_.devicePixelRatio() != devicePixelRatio) {
    pixmap_ = QPixmap(px);
    atMost = std::chrono::milliseconds::max();  // there is nothing to be shown meanwhile
    pixmap_.setDevicePixelRatio(devicePixelRatio);
    drop();
  }
  QElapsedTimer clock;
  clock.start();
  bool isSomethingDrawn = false;
  for (const QRect& part : squaresOf(std::exchange(stale_, QRegion()))) {
    if (std::exchange(isSomethingDrawn, true) && clock.elapsed() >= atMost.count()) {
      stale_ |= part;
      continue;
    }
    const QRectF area(QPointF(part.topLeft()) / devicePixelRatio,
                      QSizeF(part.size()) / devicePixelRatio);
    QPainter onPixmap(&pixmap_);
    onPixmap.setClipRect(area);
    draw(onPixmap, area);
  }
  painter.drawPixmap(0, 0, pixmap_);
  return stale_.isEmpty();
}

}  // namespace lockstep::widgets
