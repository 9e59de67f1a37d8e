#include "engine/coco/masks/polygon.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lockstep::coco {
namespace {

/// Crossings by less are rounding: coordinates have at most a few decimals.
constexpr double kTouchingPx = 1e-6;
constexpr double kLeastAreaPx = 1e-6;

struct Point {
  double x, y;
};

struct Edge {
  Point from, to;

  double low(bool isAlongY) const {
    return isAlongY ? std::min(from.y, to.y) : std::min(from.x, to.x);
  }
  double high(bool isAlongY) const {
    return isAlongY ? std::max(from.y, to.y) : std::max(from.x, to.x);
  }
  double length() const { return std::hypot(to.x - from.x, to.y - from.y); }
  /// Signed distance of a point from the line through the edge, px.
  double distanceOf(const Point& point) const {
    return ((to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)) / length();
  }
};

/// Without edges of no length, at repeated points.
std::vector<Edge> edgesOf(std::span<const double> xy) {
  std::vector<Edge> edges;
  const std::size_t count = xy.size() / 2;
  const auto at = [&](std::size_t i) {
    return Point{xy[2 * (i % count)], xy[2 * (i % count) + 1]};
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Edge edge{at(i), at(i + 1)};
    if (edge.length() > 0) edges.push_back(edge);
  }
  return edges;
}

/// The axis along which fewer edges overlap.
bool isNarrowerAlongY(const std::vector<Edge>& edges) {
  const auto overlap = [&](bool isAlongY) {
    double sum = 0, low = edges[0].low(isAlongY), high = edges[0].high(isAlongY);
    for (const Edge& edge : edges) {
      sum += edge.high(isAlongY) - edge.low(isAlongY);
      low = std::min(low, edge.low(isAlongY));
      high = std::max(high, edge.high(isAlongY));
    }
    return high > low ? sum / (high - low) : static_cast<double>(edges.size());
  };
  return overlap(true) < overlap(false);
}

/// Whether two points are on either side.
bool areApart(double first, double second) {
  return std::min(first, second) < -kTouchingPx && std::max(first, second) > kTouchingPx;
}

std::optional<std::array<double, 2>> crossing(const Edge& a, const Edge& b) {
  const double from = a.distanceOf(b.from), to = a.distanceOf(b.to);
  if (!areApart(from, to) || !areApart(b.distanceOf(a.from), b.distanceOf(a.to)))
    return std::nullopt;
  const double share = from / (from - to);
  return std::array{b.from.x + share * (b.to.x - b.from.x), b.from.y + share * (b.to.y - b.from.y)};
}

}  // namespace

std::optional<std::array<double, 2>> findSelfCrossing(std::span<const double> xy) {
  std::vector<Edge> edges = edgesOf(xy);
  if (edges.size() < 4) return std::nullopt;
  const bool isAlongY = isNarrowerAlongY(edges);
  std::ranges::sort(edges, {}, [&](const Edge& edge) { return edge.low(isAlongY); });
  std::vector<const Edge*> open;  // those that may reach the edge, in no order
  for (const Edge& edge : edges) {
    for (std::size_t i = 0; i < open.size();) {
      if (open[i]->high(isAlongY) < edge.low(isAlongY)) {
        open[i] = open.back();
        open.pop_back();
        continue;
      }
      const Edge& other = *open[i++];
      if (other.high(!isAlongY) < edge.low(!isAlongY) ||
          other.low(!isAlongY) > edge.high(!isAlongY))
        continue;
      if (const auto place = crossing(edge, other)) return place;
    }
    open.push_back(&edge);
  }
  return std::nullopt;
}

bool enclosesArea(std::span<const double> xy) {
  if (xy.size() < 6) return false;
  double twice = 0;  // relative to the first point, for precision
  for (std::size_t i = 2; i + 3 < xy.size(); i += 2) {
    twice += (xy[i] - xy[0]) * (xy[i + 3] - xy[1]) - (xy[i + 2] - xy[0]) * (xy[i + 1] - xy[1]);
  }
  return std::abs(twice) / 2 > kLeastAreaPx;
}

std::size_t removeEmptyPolygons(std::vector<std::vector<double>>& polygons) {
  return std::erase_if(polygons, [](const std::vector<double>& xy) {
    return !enclosesArea(xy) && !findSelfCrossing(xy);
  });
}

}  // namespace lockstep::coco
