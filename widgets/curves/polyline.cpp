#include "widgets/curves/polyline.h"

#include <algorithm>
#include <cmath>

namespace lockstep::widgets {

double valueOnLine(const std::vector<QPointF>& line, double x) {
  const auto after =
      std::lower_bound(line.begin(), line.end(), x,
                       [](const QPointF& point, double value) { return point.x() < value; });
  if (after == line.begin()) return line.front().y();
  if (after == line.end()) return line.back().y();
  const QPointF before = *std::prev(after);
  const double fraction =
      after->x() > before.x() ? (x - before.x()) / (after->x() - before.x()) : 1;
  return before.y() + (after->y() - before.y()) * fraction;
}

std::vector<QPointF> isolatedPoints(const std::vector<QPointF>& line) {
  std::vector<QPointF> isolated;
  const auto isDrawn = [&](std::size_t i) { return i < line.size() && std::isfinite(line[i].y()); };
  for (std::size_t i = 0; i < line.size(); ++i)
    if (isDrawn(i) && !isDrawn(i + 1) && (i == 0 || !isDrawn(i - 1))) isolated.push_back(line[i]);
  return isolated;
}

}  // namespace lockstep::widgets
