#include "engine/coco/masks/rle.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

/// Iterates over the runs of a mask by pixel position.
class RunCursor {
 public:
  explicit RunCursor(const Rle& rle) : counts_(rle.counts) {
    if (!counts_.empty()) end_ = counts_[0];
  }
  /// Moves to the run that holds pixel `position` (not before the present one).
  void seek(std::uint64_t position) {
    while (end_ <= position && index_ + 1 < counts_.size()) end_ += counts_[++index_];
  }
  bool inside() const { return index_ % 2 == 1; }
  std::uint64_t end() const { return end_; }

 private:
  std::span<const std::uint32_t> counts_;
  std::size_t index_ = 0;
  std::uint64_t end_ = 0;
};

Rle mergeTwo(const Rle& first, const Rle& second, bool intersect) {
  if (first.height != second.height || first.width != second.width) {
    throw Error("masks of different sizes cannot be merged");
  }
  checkCounts(first);
  checkCounts(second);
  RunCursor a(first), b(second);
  RunWriter writer(first.height, first.width);
  const std::uint64_t total = pixelCount(first);
  bool value = false;
  for (std::uint64_t position = 0; position < total; position = std::min(a.end(), b.end())) {
    a.seek(position);
    b.seek(position);
    const bool now = intersect ? a.inside() && b.inside() : a.inside() || b.inside();
    if (now != value) writer.flipAt(position);
    value = now;
  }
  return writer.finish();
}

}  // namespace

Rle merge(std::span<const Rle> masks, bool intersect) {
  if (masks.empty()) return {};
  Rle merged = masks[0];
  for (const Rle& mask : masks.subspan(1)) merged = mergeTwo(merged, mask, intersect);
  return merged;
}

std::uint64_t areaPx(const Rle& rle) {
  std::uint64_t area = 0;
  for (std::size_t i = 1; i < rle.counts.size(); i += 2) area += rle.counts[i];
  return area;
}

PixelBox boundingPixels(const Rle& rle) {
  PixelBox box{.x0 = rle.width, .y0 = rle.height, .x1 = 0, .y1 = 0};
  ColumnCursor cursor(rle.height);
  const auto height = static_cast<std::uint64_t>(rle.height);
  forEachForegroundRun(rle, [&](std::uint64_t begin, std::uint64_t end) {
    cursor.seek(begin);
    const std::uint64_t endRow = static_cast<std::uint64_t>(cursor.row()) + (end - begin);
    box.x0 = std::min(box.x0, cursor.column());
    if (endRow <= height) {
      box.x1 = std::max(box.x1, cursor.column() + 1);
      box.y0 = std::min(box.y0, cursor.row());
      box.y1 = std::max(box.y1, static_cast<int>(endRow));
    } else {  // it goes on in the next column
      box.x1 = std::max(box.x1, static_cast<int>((end - 1) / height) + 1);
      box.y0 = 0;
      box.y1 = rle.height;
    }
  });
  return box.x1 == 0 ? PixelBox{} : box;
}

std::array<double, 4> boundingBoxXywh(const Rle& rle) {
  const PixelBox box = boundingPixels(rle);
  return {double(box.x0), double(box.y0), double(box.x1 - box.x0), double(box.y1 - box.y0)};
}

std::uint64_t overlapPx(const Rle& first, const Rle& second) {
  const auto& a = first.counts;
  const auto& b = second.counts;
  std::uint64_t overlap = 0, endA = 0, endB = 0;
  for (std::size_t i = 1, j = 1, openA = 1, openB = 1; i < a.size() && j < b.size();) {
    if (openA) endA += std::uint64_t{a[i - 1]} + a[i];
    if (openB) endB += std::uint64_t{b[j - 1]} + b[j];
    const std::uint64_t begin = std::max(endA - a[i], endB - b[j]), end = std::min(endA, endB);
    if (end > begin) overlap += end - begin;
    openA = endA <= endB;
    openB = endB <= endA;
    i += 2 * openA;
    j += 2 * openB;
  }
  return overlap;
}

double maskIou(const Rle& detection, const Rle& groundTruth, bool crowd) {
  if (detection.height != groundTruth.height || detection.width != groundTruth.width) {
    throw Error("masks of different sizes cannot be compared");
  }
  const std::uint64_t overlap = overlapPx(detection, groundTruth);
  if (overlap == 0) return 0;
  const std::uint64_t detectionArea = areaPx(detection);
  const std::uint64_t whole = crowd ? detectionArea : detectionArea + areaPx(groundTruth) - overlap;
  return static_cast<double>(overlap) / static_cast<double>(whole);
}

}  // namespace lockstep::coco
