#pragma once

#include <cstdint>

#include "engine/ops/paste_window.h"

/// Kernels of paste_masks.cu. Letters: D detections, H W size of the image in px.
namespace lockstep::ops {

struct PasteJob {
  const float* probs;  // [D,side,side]
  const float* boxes;  // [D,4]
  int side;
  float growth;
  int height, width;
};

/// One column of the image under one detection.
class PasteColumn {
 public:
  __device__ PasteColumn(const PasteJob& job, int detection, int x)
      : side_(job.side),
        height_(job.height),
        x_(x),
        window_(pasteWindow(job.boxes + 4 * detection, job.growth, job.height, job.width)),
        probs_(job.probs + static_cast<std::int64_t>(detection) * job.side * job.side) {}

  /// Calls change(y) for each y where a pixel differs from the one before it in the order of the
  /// runs: that above, or for y = 0 the last one of the column to the left. y ascends.
  template <typename Change>
  __device__ void walk(Change change) const {
    const std::int64_t first = window_.columns.begin, count = window_.columns.length;
    if (window_.rows.length == 0 || x_ < first || x_ > first + count) return;
    const int top = static_cast<int>(window_.rows.begin),
              bottom = top + static_cast<int>(window_.rows.length);
    bool before = false;
    if (bottom == height_ && x_ > first) before = isInside(readingAt(x_ - 1), height_ - 1);
    if (x_ == first + count) {  // the column to the right of the window
      if (before) change(0);
      return;
    }
    if (before && top > 0) {
      change(0);
      before = false;
    }
    const Lerp column = readingAt(x_);
    for (int y = top; y < bottom; ++y) {
      const bool inside = isInside(column, y);
      if (inside != before) change(y);
      before = inside;
    }
    if (before && bottom < height_) change(bottom);
  }

 private:
  __device__ Lerp readingAt(int x) const {
    return lerpAt(x - window_.columns.origin, side_ + 2, window_.columns.full);
  }
  /// Of the mask with its border of zeros.
  __device__ float probability(int row, int column) const {
    const bool isBorder = row == 0 || row > side_ || column == 0 || column > side_;
    return isBorder ? 0.0f : probs_[(row - 1) * side_ + column - 1];
  }
  __device__ bool isInside(const Lerp& column, int y) const {
    const Lerp row = lerpAt(y - window_.rows.origin, side_ + 2, window_.rows.full);
    const float low =
        lerp(probability(row.low, column.low), probability(row.high, column.low), row.fraction);
    const float high =
        lerp(probability(row.low, column.high), probability(row.high, column.high), row.fraction);
    return lerp(low, high, column.fraction) > kMaskThreshold;
  }

  int side_, height_, x_;
  PasteWindow window_;
  const float* probs_;
};

/// One thread per column: how many changes there are in it. counts [D,W].
inline __global__ void countChangesKernel(PasteJob job, int* counts) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= job.width) return;
  const int detection = static_cast<int>(blockIdx.y);
  int count = 0;
  PasteColumn(job, detection, x).walk([&](int) { ++count; });
  counts[static_cast<std::int64_t>(detection) * job.width + x] = count;
}

/// ends [D,W]: the sum of the counts up to and with each. changes: where the pixels change, x * H +
/// y, detection after detection.
inline __global__ void writeChangesKernel(PasteJob job, const int* counts, const std::int64_t* ends,
                                          int* changes) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= job.width) return;
  const int detection = static_cast<int>(blockIdx.y);
  const std::int64_t place = static_cast<std::int64_t>(detection) * job.width + x;
  if (counts[place] == 0) return;
  int* out = changes + (ends[place] - counts[place]);
  PasteColumn(job, detection, x).walk([&](int y) { *out++ = x * job.height + y; });
}

}  // namespace lockstep::ops
