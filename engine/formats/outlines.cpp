#include "engine/formats/outlines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/base/error.h"

namespace lockstep::formats {
namespace {

/// Pixels of the first that are not in the second.
coco::Rle difference(const coco::Rle& first, const coco::Rle& second) {
  coco::Rle outside = second;
  // The complement: the first run is of zeros.
  if (!outside.counts.empty() && outside.counts.front() == 0) {
    outside.counts.erase(outside.counts.begin());
  } else {
    outside.counts.insert(outside.counts.begin(), 0);
  }
  return coco::merge(std::array{first, outside}, true);
}

}  // namespace

SourceObject boxObject(const std::string& category, double x0, double y0, double x1, double y1) {
  return {category, {}, {std::min(x0, x1), std::min(y0, y1), std::abs(x1 - x0), std::abs(y1 - y0)}};
}

std::vector<double> turnedRectangle(double x, double y, double width, double height, double angle) {
  const double turn = angle * std::numbers::pi / 180, c = std::cos(turn), s = std::sin(turn);
  std::vector<double> xy;
  for (const auto& [dx, dy] : {std::pair(0., 0.), {width, 0.}, {width, height}, {0., height}}) {
    xy.push_back(x + dx * c - dy * s);
    xy.push_back(y + dx * s + dy * c);
  }
  return xy;
}

std::vector<double> ellipseOutline(double x, double y, double radiusX, double radiusY,
                                   double angle) {
  constexpr int kPoints = 64;
  constexpr double kStep = 2 * std::numbers::pi / kPoints;
  const double scale = std::sqrt(kStep / std::sin(kStep));  // the polygon within has less area
  const double turn = angle * std::numbers::pi / 180, c = std::cos(turn), s = std::sin(turn);
  std::vector<double> xy;
  for (int i = 0; i < kPoints; ++i) {
    const double dx = scale * radiusX * std::cos(kStep * i),
                 dy = scale * radiusY * std::sin(kStep * i);
    xy.push_back(x + dx * c - dy * s);
    xy.push_back(y + dx * s + dy * c);
  }
  return xy;
}

std::string polygonProblem(const std::vector<double>& xy) {
  if (xy.size() >= 6) return {};
  return "has " + std::to_string(xy.size() / 2) + " points; a polygon needs at least 3";
}

void requirePolygon(const std::vector<double>& xy) {
  if (const std::string problem = polygonProblem(xy); !problem.empty()) throw Error(problem);
}

coco::Segmentation withHoles(const std::vector<std::vector<double>>& rings, base::ImageSize size) {
  if (rings.size() == 1) return rings;
  const int height = static_cast<int>(size.height), width = static_cast<int>(size.width);
  coco::Rle mask = coco::rasterisePolygon(rings[0], height, width);
  for (std::size_t i = 1; i < rings.size(); ++i)
    mask = difference(mask, coco::rasterisePolygon(rings[i], height, width));
  return mask;
}

}  // namespace lockstep::formats
