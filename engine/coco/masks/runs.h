#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/coco/masks/rle.h"

/// Shared helpers to read and write runs. Positions are column * height + row.
namespace lockstep::coco {

inline std::uint64_t pixelCount(const Rle& rle) {
  return static_cast<std::uint64_t>(rle.height) * static_cast<std::uint64_t>(rle.width);
}

/// Maximum number of pixels of a mask: run lengths are 32-bit.
inline constexpr std::uint64_t kMaxPixels = 0xffffffffULL;

/// Builds runs from the positions, in ascending order, at which the value changes.
class RunWriter {
 public:
  RunWriter(int height, int width) : rle_{height, width, {}} {}
  void flipAt(std::uint64_t position) {
    rle_.counts.push_back(static_cast<std::uint32_t>(position - last_));
    last_ = position;
  }
  Rle finish() {
    const std::uint64_t total = pixelCount(rle_);
    if (last_ < total || rle_.counts.empty()) flipAt(total);
    return std::move(rle_);
  }

 private:
  Rle rle_;
  std::uint64_t last_ = 0;
};

/// Column and row of ascending positions, without a division per position.
class ColumnCursor {
 public:
  explicit ColumnCursor(int height) : height_(static_cast<std::uint64_t>(height)) {}
  void seek(std::uint64_t position) {
    if (position - columnStart_ >= height_ * 4) {
      column_ = static_cast<int>(position / height_);
      columnStart_ = static_cast<std::uint64_t>(column_) * height_;
    }
    while (position - columnStart_ >= height_) {
      columnStart_ += height_;
      ++column_;
    }
    row_ = static_cast<int>(position - columnStart_);
  }
  int column() const { return column_; }
  int row() const { return row_; }

 private:
  std::uint64_t height_, columnStart_ = 0;
  int column_ = 0, row_ = 0;
};

/// Calls visit(begin, end) for every non-empty run of ones.
template <typename Visit>
void forEachForegroundRun(const Rle& rle, Visit visit) {
  std::uint64_t position = 0;
  for (std::size_t i = 0; i < rle.counts.size(); ++i) {
    const std::uint64_t end = position + rle.counts[i];
    if (i % 2 == 1 && end > position) visit(position, end);
    position = end;
  }
}

/// Pixels x0 … x1-1, y0 … y1-1; all zero when empty.
struct PixelBox {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};
PixelBox boundingPixels(const Rle& rle);

/// The outline of a box x, y, width, height as a polygon, in pycocotools' order of corners.
inline std::vector<double> boxOutline(const std::array<double, 4>& xywh) {
  const double x0 = xywh[0], y0 = xywh[1], x1 = x0 + xywh[2], y1 = y0 + xywh[3];
  return {x0, y0, x0, y1, x1, y1, x1, y0};
}

/// Number of pixels in the intersection of two masks of the same size.
std::uint64_t overlapPx(const Rle& first, const Rle& second);

/// Parses the compressed counts into rle.counts; rle has its size. Returns what is wrong, or null.
const char* readCounts(std::string_view text, Rle& rle);

/// What is wrong with the counts (their sum), or null.
const char* countsError(const Rle& rle);

/// Throws Error if countsError() is not null, before code that would loop or write out of bounds.
void checkCounts(const Rle& rle);

}  // namespace lockstep::coco
