#include "engine/coco/masks/rle.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

/// The mask within its bounding box plus a border of one pixel, row by row, and which upper pixel
/// edges have been traced.
class TracedMask {
 public:
  explicit TracedMask(const Rle& rle) : box_(boundingPixels(rle)), stride_(box_.x1 - box_.x0 + 2) {
    cells_.resize(std::size_t(stride_) * (box_.y1 - box_.y0 + 2));
    ColumnCursor cursor(rle.height);
    forEachForegroundRun(rle, [&](std::uint64_t begin, std::uint64_t end) {
      for (; begin < end; ++begin) {
        cursor.seek(begin);
        cell(cursor.column(), cursor.row()) = kInside;
      }
    });
  }

  const PixelBox& box() const { return box_; }
  bool isInside(int x, int y) const { return cells_[index(x, y)] & kInside; }
  bool hasNewUpperEdge(int x, int y) const {
    return cells_[index(x, y)] == kInside && !isInside(x, y - 1);
  }
  void markUpperEdge(int x, int y) { cell(x, y) |= kWalked; }

 private:
  static constexpr std::uint8_t kInside = 1, kWalked = 2;
  std::size_t index(int x, int y) const {
    return std::size_t(y - box_.y0 + 1) * stride_ + (x - box_.x0 + 1);
  }
  std::uint8_t& cell(int x, int y) { return cells_[index(x, y)]; }

  PixelBox box_;
  int stride_;
  std::vector<std::uint8_t> cells_;
};

/// Directions in the order of right turns on the screen (y down).
enum Heading { East, South, West, North };

/// Traces one contour with the mask on its right, from the upper left corner of pixel (x, y) along
/// its upper edge.
std::vector<std::array<double, 2>> walkContour(TracedMask& mask, const int startX,
                                               const int startY) {
  constexpr int kStepX[] = {1, 0, -1, 0}, kStepY[] = {0, 1, 0, -1};
  // The two pixels ahead of a corner, right and left of the path, relative to the pixel at its
  // lower right.
  constexpr int kRightX[] = {0, -1, -1, 0}, kRightY[] = {0, 0, -1, -1};
  constexpr int kLeftX[] = {0, 0, -1, -1}, kLeftY[] = {-1, 0, 0, -1};
  std::vector<std::array<double, 2>> corners;
  int x = startX, y = startY, heading = East;
  do {
    if (heading == East) mask.markUpperEdge(x, y);
    x += kStepX[heading];
    y += kStepY[heading];
    const bool right = mask.isInside(x + kRightX[heading], y + kRightY[heading]);
    const bool left = mask.isInside(x + kLeftX[heading], y + kLeftY[heading]);
    if (right && !left) continue;
    corners.push_back({double(x), double(y)});
    heading = (heading + (right ? 3 : 1)) % 4;
  } while (x != startX || y != startY || heading != East);
  return corners;
}

}  // namespace

std::vector<std::vector<std::array<double, 2>>> contours(const Rle& rle) {
  checkCounts(rle);
  TracedMask mask(rle);
  std::vector<std::vector<std::array<double, 2>>> found;
  for (int y = mask.box().y0; y < mask.box().y1; ++y) {
    for (int x = mask.box().x0; x < mask.box().x1; ++x) {
      if (mask.hasNewUpperEdge(x, y)) found.push_back(walkContour(mask, x, y));
    }
  }
  return found;
}

}  // namespace lockstep::coco
