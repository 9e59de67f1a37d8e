#include "widgets/image_view/place_beside.h"

#include <algorithm>
#include <array>

namespace lockstep::widgets {

namespace {

constexpr double kGap = 10, kMargin = 4;

double clampedStart(double start, double length, double room) {
  return std::clamp(start, kMargin, std::max(kMargin, room - length - kMargin));
}

}  // namespace

QRectF placeBeside(const QSizeF& card, const QRectF& box, const QSizeF& area) {
  const std::array corners{QPointF(box.right() + kGap, box.top()),
                           QPointF(box.left() - kGap - card.width(), box.top()),
                           QPointF(box.left(), box.bottom() + kGap),
                           QPointF(box.left(), box.top() - kGap - card.height())};
  const auto placedAt = [&](const QPointF& corner) {
    return QRectF(QPointF(clampedStart(corner.x(), card.width(), area.width()),
                          clampedStart(corner.y(), card.height(), area.height())),
                  card);
  };
  const auto covered = [&](const QPointF& corner) {
    const QRectF both = placedAt(corner).intersected(box);
    return both.width() * both.height();
  };
  return placedAt(*std::ranges::min_element(corners, {}, covered));
}

}  // namespace lockstep::widgets
