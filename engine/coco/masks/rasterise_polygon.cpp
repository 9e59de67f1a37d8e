// The same runs as pycocotools' frPyObjects. It samples the outline on a 5x upsampled grid, keeps
// the samples where the outline crosses the middle of a pixel column, and toggles the value at that
// row. Crossings are only between fine columns 5c+2 and 5c+3, so each edge is evaluated there
// instead of at every sample.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/coco/masks/rle.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

constexpr int kFine = 5;            // fine steps per pixel
constexpr int kMiddle = kFine / 2;  // the fine column left of a pixel column's middle
constexpr double kFarthest = 1e9;   // fine steps; vertices beyond are clamped

struct Point {
  std::int64_t x, y;  ///< fine steps
};

/// Nearest fine step as pycocotools rounds it: half up, negative values towards zero.
std::int64_t toFine(double px) {
  return static_cast<std::int64_t>(std::clamp(kFine * px + .5, -kFarthest, kFarthest));
}

std::int64_t interpolate(std::int64_t start, double slope, std::int64_t step) {
  return static_cast<std::int64_t>(static_cast<double>(start) + slope * static_cast<double>(step) +
                                   .5);
}

class OutlineWalker {
 public:
  OutlineWalker(int height, int width) : height_(height), width_(width) {}

  void addEdge(Point from, Point to) {
    const std::int64_t dx = std::abs(to.x - from.x), dy = std::abs(to.y - from.y);
    if (dx >= dy ? from.x > to.x : from.y > to.y) std::swap(from, to);
    if (from.x == to.x) return;
    if (dx >= dy) {
      addFlatEdge(from, to, static_cast<double>(to.y - from.y) / static_cast<double>(dx));
    } else {
      addSteepEdge(from, to, static_cast<double>(to.x - from.x) / static_cast<double>(dy));
    }
  }

  Rle finish() {
    sortFlips();
    std::vector<Flip> kept;  // two toggles at one pixel cancel
    kept.reserve(flips_.size());
    for (const Flip& flip : flips_) {
      if (!kept.empty() && kept.back() == flip) {
        kept.pop_back();
      } else {
        kept.push_back(flip);
      }
    }
    RunWriter writer(static_cast<int>(height_), static_cast<int>(width_));
    for (const Flip& flip : kept)
      writer.flipAt(static_cast<std::uint64_t>(flip.column * height_ + flip.row));
    return writer.finish();
  }

 private:
  /// First pixel column whose middle is at or right of fine column x.
  static std::int64_t firstColumn(std::int64_t x) {
    return x <= kMiddle ? 0 : (x - kMiddle + kFine - 1) / kFine;
  }

  /// Where a pixel's value differs from that above it; above row 0 is the end of the column before.
  struct Flip {
    std::int32_t column, row;
    bool operator==(const Flip&) const = default;
  };

  /// By column and row. A column has few flips, two of a convex outline.
  void sortFlips() {
    if (flips_.empty()) return;
    const auto [first, last] = std::ranges::minmax(flips_, {}, &Flip::column);
    const std::int32_t firstColumn = first.column;
    std::vector<std::uint32_t> begin(static_cast<std::size_t>(last.column - firstColumn) + 2);
    for (const Flip& flip : flips_)
      ++begin[static_cast<std::size_t>(flip.column - firstColumn) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<Flip> sorted(flips_.size());
    for (const Flip& flip : flips_)
      sorted[begin[static_cast<std::size_t>(flip.column - firstColumn)]++] = flip;
    for (std::size_t column = 0, at = 0; column + 1 < begin.size(); at = begin[column++]) {
      std::ranges::sort(sorted.begin() + static_cast<std::ptrdiff_t>(at),
                        sorted.begin() + begin[column], {}, &Flip::row);
    }
    flips_ = std::move(sorted);
  }

  /// The toggle of one pixel column, at the upper of the two samples beside the crossing.
  void addFlip(std::int64_t column, std::int64_t fineRow) {
    const std::int64_t row =
        fineRow <= kMiddle
            ? 0
            : std::min<std::int64_t>((fineRow - kMiddle + kFine - 1) / kFine, height_);
    const bool isBelow = row == height_;
    flips_.push_back({static_cast<std::int32_t>(isBelow ? column + 1 : column),
                      static_cast<std::int32_t>(isBelow ? 0 : row)});
  }

  /// One sample per fine column; from.x < to.x.
  void addFlatEdge(Point from, Point to, double slope) {
    for (std::int64_t column = firstColumn(from.x); column < width_; ++column) {
      const std::int64_t left = kFine * column + kMiddle;
      if (left + 1 > to.x) break;
      const std::int64_t step = left - from.x;
      addFlip(column,
              std::min(interpolate(from.y, slope, step), interpolate(from.y, slope, step + 1)));
    }
  }

  /// One sample per fine row; from.y < to.y.
  void addSteepEdge(Point from, Point to, double slope) {
    const std::int64_t steps = to.y - from.y;
    const std::int64_t leftmost = std::min(from.x, to.x), rightmost = std::max(from.x, to.x);
    for (std::int64_t column = firstColumn(leftmost); column < width_; ++column) {
      const std::int64_t left = kFine * column + kMiddle;
      if (left + 1 > rightmost) break;
      const auto isPast = [&](std::int64_t step) {
        const std::int64_t x = interpolate(from.x, slope, step);
        return slope > 0 ? x > left : x <= left;
      };
      const double guess = (static_cast<double>(left) + .5 - static_cast<double>(from.x)) / slope;
      auto step = std::clamp(static_cast<std::int64_t>(guess), std::int64_t{0}, steps);
      while (step < steps && !isPast(step)) ++step;
      while (step > 0 && isPast(step - 1)) --step;
      if (step > 0 && isPast(step)) addFlip(column, from.y + step - 1);
    }
  }

  std::int64_t height_, width_;
  std::vector<Flip> flips_;
};

}  // namespace

Rle rasterisePolygon(std::span<const double> xy, int height, int width) {
  std::vector<Point> points(xy.size() / 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(xy[2 * i]) || !std::isfinite(xy[2 * i + 1])) {
      throw Error("a polygon has a coordinate that is not finite");
    }
    points[i] = {toFine(xy[2 * i]), toFine(xy[2 * i + 1])};
  }
  OutlineWalker walker(height, width);
  for (std::size_t i = 0; i < points.size(); ++i) {
    walker.addEdge(points[i], points[(i + 1) % points.size()]);
  }
  return walker.finish();
}

}  // namespace lockstep::coco
