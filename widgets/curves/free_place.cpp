#include "widgets/curves/free_place.h"

#include <algorithm>
#include <cmath>

namespace lockstep::widgets {
namespace {

constexpr double kFromPointPx = 9;  ///< distance from the point: its marker stays clear
constexpr double kFromLinePx = 2;
constexpr int kNearRows = 6;  ///< above and below

/// y of a segment at an x within it.
double valueAt(const QPointF& from, const QPointF& to, double x) {
  const double length = to.x() - from.x();
  return length > 0 ? from.y() + (to.y() - from.y()) * (x - from.x()) / length : to.y();
}

bool crosses(const QPointF& from, const QPointF& to, const QRectF& box) {
  if (to.x() < box.left() || from.x() > box.right()) return false;
  const double a = valueAt(from, to, std::max(from.x(), box.left()));
  const double b = valueAt(from, to, std::min(to.x(), box.right()));
  // A vertical segment has both ends at one x.
  const double top = from.x() < to.x() ? std::min(a, b) : std::min(from.y(), to.y());
  const double bottom = from.x() < to.x() ? std::max(a, b) : std::max(from.y(), to.y());
  return top <= box.bottom() && bottom >= box.top();  // false where one is NaN
}

bool covers(const QRectF& box, const std::vector<QPointF>& line) {
  auto at = std::lower_bound(line.begin(), line.end(), box.left(),
                             [](const QPointF& point, double x) { return point.x() < x; });
  if (at != line.begin()) --at;
  for (; at != line.end() && at->x() <= box.right(); ++at) {
    if (std::isfinite(at->y()) && box.contains(*at)) return true;
    if (std::next(at) != line.end() && crosses(*at, *std::next(at), box)) return true;
  }
  return false;
}

/// The nearest first; above before below, because the training loss is rarely above.
std::vector<QRectF> placesAround(const QPointF& point, const QSizeF& label, int rows) {
  const double width = label.width(), height = label.height();
  std::vector<QRectF> places;
  for (int row = 0; row < rows; ++row) {
    const double above = point.y() - kFromPointPx - height * (row + 1);
    const double below = point.y() + kFromPointPx + height * row;
    for (const double top : {above, below})
      for (const double left : {point.x() - width / 2, point.x(), point.x() - width})
        places.emplace_back(QPointF(left, top), label);
    if (row > 0) continue;
    for (const double left : {point.x() + kFromPointPx, point.x() - kFromPointPx - width})
      places.emplace_back(QPointF(left, point.y() - height / 2), label);
  }
  return places;
}

}  // namespace

std::optional<QRectF> freePlace(const QPointF& point, const QSizeF& label, const QRectF& area,
                                const std::vector<std::vector<QPointF>>& lines, LabelReach reach) {
  const QRectF mark(point.x() - kFromPointPx, point.y() - kFromPointPx, 2 * kFromPointPx,
                    2 * kFromPointPx);
  const int allRows = static_cast<int>(area.height() / label.height());
  const int rows = reach == LabelReach::Near ? kNearRows : allRows;
  for (QRectF place : placesAround(point, label, rows)) {
    place.moveLeft(std::max(area.left(), std::min(place.left(), area.right() - place.width())));
    if (!area.contains(place) || place.intersects(mark.adjusted(1, 1, -1, -1))) continue;
    const QRectF box = place.adjusted(-kFromLinePx, -kFromLinePx, kFromLinePx, kFromLinePx);
    if (std::none_of(lines.begin(), lines.end(),
                     [&](const std::vector<QPointF>& line) { return covers(box, line); }))
      return place;
  }
  return std::nullopt;
}

}  // namespace lockstep::widgets
