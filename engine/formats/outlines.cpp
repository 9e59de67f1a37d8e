#include "engine/formats/outlines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/base/error.h"
#include "engine/base/number_text.h"

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

void turn(std::vector<double>& xy, double x, double y, double angle) {
  const double radians = angle * std::numbers::pi / 180, c = std::cos(radians),
               s = std::sin(radians);
  for (std::size_t i = 0; i + 1 < xy.size(); i += 2) {
    const double dx = xy[i] - x, dy = xy[i + 1] - y;
    xy[i] = x + dx * c - dy * s;
    xy[i + 1] = y + dx * s + dy * c;
  }
}

std::vector<double> turnedRectangle(double x, double y, double width, double height, double angle) {
  std::vector<double> xy{x, y, x + width, y, x + width, y + height, x, y + height};
  turn(xy, x, y, angle);
  return xy;
}

std::vector<double> ellipseOutline(double x, double y, double radiusX, double radiusY,
                                   double angle) {
  constexpr int kPoints = 64;
  constexpr double kStep = 2 * std::numbers::pi / kPoints;
  const double scale = std::sqrt(kStep / std::sin(kStep));  // the polygon within has less area
  std::vector<double> xy;
  for (int i = 0; i < kPoints; ++i) {
    xy.push_back(x + scale * radiusX * std::cos(kStep * i));
    xy.push_back(y + scale * radiusY * std::sin(kStep * i));
  }
  turn(xy, x, y, angle);
  return xy;
}

std::string polygonProblem(const std::vector<double>& xy) {
  if (xy.size() / 2 >= coco::kMinPolygonPoints) return {};
  return "has " + base::counted(xy.size() / 2, "point") + "; a polygon needs at least 3";
}

void requirePolygon(const std::vector<double>& xy) {
  if (const std::string problem = polygonProblem(xy); !problem.empty()) throw Error(problem);
}

std::array<double, 4> extentOf(const SourceObject& object) {
  if (!object.hasMask()) {
    const auto& [x, y, width, height] = object.boxXywh;
    return {x, y, x + width, y + height};
  }
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::array<double, 4> extent{kFar, kFar, -kFar, -kFar};
  for (const std::vector<double>& xy : std::get<0>(object.segmentation)) {
    for (std::size_t i = 0; i + 1 < xy.size(); i += 2) {
      extent = {std::min(extent[0], xy[i]), std::min(extent[1], xy[i + 1]),
                std::max(extent[2], xy[i]), std::max(extent[3], xy[i + 1])};
    }
  }
  return extent;
}

SourceObject& PolygonGroups::add(const std::string& label, const std::string& group,
                                 std::vector<double> outline) {
  std::vector<SourceObject>& objects = image_.objects;
  if (!group.empty()) {
    const auto [found, isNew] = indexOf_.try_emplace({label, group}, objects.size());
    if (!isNew) {
      std::get<0>(objects[found->second].segmentation).push_back(std::move(outline));
      return objects[found->second];
    }
  }
  objects.push_back({label, onePolygon(std::move(outline))});
  return objects.back();
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
