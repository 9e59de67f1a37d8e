#include "engine/coco/report/outlines.h"

#include "engine/coco/report/html.h"

namespace lockstep::coco::report {
namespace {

constexpr std::size_t kMostCorners = 8000;

/// Pixel edges are axis-aligned, so the path uses h and v commands: `h3v-2`.
void addContour(const std::vector<std::array<double, 2>>& corners, std::string& path) {
  path += "M" + coordinate(corners[0][0]) + " " + coordinate(corners[0][1]);
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const double dx = corners[i][0] - corners[i - 1][0], dy = corners[i][1] - corners[i - 1][1];
    path += dy == 0 ? "h" + coordinate(dx) : "v" + coordinate(dy);
  }
  path += "z";
}

}  // namespace

Outline boxOutlineOf(const std::array<double, 4>& xywh) {
  const auto [x, y, width, height] = xywh;
  return {"<rect x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" width=\"" +
              coordinate(width) + "\" height=\"" + coordinate(height) + "\"",
          x, y, y + height};
}

Outline maskOutlineOf(const Rle& mask, const std::array<double, 4>& boxXywh) {
  // Corners are at the ends of runs, and each run has two.
  if (mask.counts.size() > kMostCorners) return boxOutlineOf(boxXywh);
  std::string path;
  for (const auto& contour : contours(mask)) addContour(contour, path);
  if (path.empty()) return boxOutlineOf(boxXywh);
  const auto box = boundingBoxXywh(mask);
  return {"<path d=\"" + path + "\"", box[0], box[1], box[1] + box[3]};
}

}  // namespace lockstep::coco::report
