#pragma once

#include <cmath>
#include <cstdint>

#include "engine/ops/cuda/launch.cuh"
#include "engine/structures/mask_window.h"

/// Kernel of mask_targets.cu. Letters: N images, P regions.
namespace lockstep::ops {

constexpr int kTargetThreads = 256;

struct MaskTable {
  const std::uint8_t* pixels;
  const structures::MaskWindow* windows;  // [N,objects]
  const std::int64_t* sizes;              // [N,2]
  std::int64_t objects;
};

struct RegionTable {
  const float* boxes;           // [P,4]
  const std::int64_t* images;   // [P]
  const std::int64_t* objects;  // [P]
  int side;                     // bins
};

/// Shares of the pixels in every bin along one axis: those of bin b are
/// weights[b * stride] … for pixels from first[b] on.
struct AxisShares {
  int* first;
  int* count;
  float* weights;
  int stride;
};

/// By one thread for each bin; the same samples as on the CPU (roi_sampling.cpp).
inline __device__ void shareOut(int bin, float from, float to, int bins, int pixels,
                                AxisShares shares) {
  const float width = fmaxf(to - from, 1.0f) / static_cast<float>(bins);
  const int samples = static_cast<int>(ceilf(width)), last = pixels - 1;
  float* weights = shares.weights + bin * shares.stride;
  int first = 0, count = 0;
  for (int i = 0; i < samples; ++i) {
    const float step = (static_cast<float>(i) + 0.5f) * width / static_cast<float>(samples);
    const float place = from + static_cast<float>(bin) * width + step;
    if (!(place >= -1.0f && place <= static_cast<float>(pixels))) continue;
    const float inside = fmaxf(place, 0.0f);
    const int low = min(static_cast<int>(inside), last);
    const float fraction = low == last ? 0.0f : inside - static_cast<float>(low);
    const float share = 1.0f / static_cast<float>(samples);
    if (count == 0) first = low;
    if (low + 2 - first > shares.stride) break;  // a region larger than the image
    for (; first + count <= low + (fraction > 0.0f ? 1 : 0); ++count) weights[count] = 0;
    weights[low - first] += (1.0f - fraction) * share;
    if (fraction > 0.0f) weights[low + 1 - first] += fraction * share;
  }
  shares.first[bin] = first;
  shares.count[bin] = count;
}

/// One block a region; out [P,side,side] starts as 0. Sums in the order of the CPU: down each
/// column, then across.
inline __global__ void targetKernel(MaskTable masks, RegionTable regions, int stride, float* out) {
  // Weights of rows and columns, then first and count of both.
  auto* const memory = dynamicShared<float>();
  const std::int64_t region = blockIdx.x, image = regions.images[region];
  if (image < 0) return;
  const structures::MaskWindow window =
      masks.windows[image * masks.objects + regions.objects[region]];
  const int height = static_cast<int>(masks.sizes[2 * image]),
            width = static_cast<int>(masks.sizes[2 * image + 1]);
  const int bins = regions.side;
  int* places = reinterpret_cast<int*>(memory + 2 * bins * stride);
  const AxisShares rows{places, places + bins, memory, stride};
  const AxisShares columns{places + 2 * bins, places + 3 * bins, memory + bins * stride, stride};
  const float* box = regions.boxes + 4 * region;
  for (int i = static_cast<int>(threadIdx.x); i < 2 * bins; i += static_cast<int>(blockDim.x)) {
    if (i < bins) {
      shareOut(i, box[1], box[3], bins, height, rows);
    } else {
      shareOut(i - bins, box[0], box[2], bins, width, columns);
    }
  }
  __syncthreads();
  const std::uint8_t* mask = masks.pixels + window.firstByte;
  const int left = static_cast<int>(window.left), right = left + static_cast<int>(window.width);
  const int top = static_cast<int>(window.top), bottom = top + static_cast<int>(window.height);
  for (int i = static_cast<int>(threadIdx.x); i < bins * bins; i += static_cast<int>(blockDim.x)) {
    const int row = i / bins, column = i % bins;
    const int firstX = columns.first[column], firstY = rows.first[row];
    const int endX = min(firstX + columns.count[column], right),
              endY = min(firstY + rows.count[row], bottom);
    float sum = 0;
    for (int x = max(firstX, left); x < endX; ++x) {
      float ofColumn = 0;
      for (int y = max(firstY, top); y < endY; ++y) {
        ofColumn += rows.weights[row * stride + y - firstY] *
                    static_cast<float>(mask[(y - top) * (right - left) + x - left]);
      }
      sum += columns.weights[column * stride + x - firstX] * ofColumn;
    }
    out[region * bins * bins + i] = sum;
  }
}

/// The maximum number of pixels of a bin of an RoI inside an image.
inline int targetStride(std::int64_t longestSide, std::int64_t bins) {
  return static_cast<int>(longestSide / bins) + 4;
}

inline Launch targetLaunch(std::int64_t regions, int bins, int stride) {
  const std::size_t ofBin = static_cast<std::size_t>(stride) * sizeof(float) + 2 * sizeof(int);
  return {static_cast<unsigned>(regions), 1, 1, kTargetThreads,
          static_cast<std::size_t>(bins) * 2 * ofBin};
}

}  // namespace lockstep::ops
