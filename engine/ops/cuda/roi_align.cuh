#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/ops/cuda/channel_packs.cuh"
#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/host_device.h"

/// Kernels of roi_align.cu. Letters: N images, C channels, H W of a feature map, K regions.
namespace lockstep::ops {

constexpr int kRoiThreads = 256;
constexpr int kRoiWarp = 32;  // threads that share a bin
constexpr int kRoiTile = 8;   // side of the square of feature pixels whose gradient one block sums

/// One axis of a region in feature pixels.
struct RoiAxis {
  float from, bin;
  int samples, last;  // sample points per bin; index of the last pixel

  __device__ RoiAxis(float begin, float end, int bins, int samplingRatio, int pixels)
      : from(begin), last(pixels - 1) {
    bin = fmaxf(end - begin, 1.0f) / static_cast<float>(bins);
    samples = samplingRatio > 0 ? samplingRatio : static_cast<int>(ceilf(bin));
  }

  /// Pixel below sample i of bin b and how far the sample lies from it; low is -1 where the sample
  /// counts as 0.
  __device__ void sample(int b, int i, int& low, float& fraction) const {
    const float step = (static_cast<float>(i) + 0.5f) * bin / static_cast<float>(samples);
    // Rounded after every operation, as on the CPU.
    const float place = __fadd_rn(__fadd_rn(from, __fmul_rn(static_cast<float>(b), bin)), step);
    low = -1;
    if (!(place >= -1.0f && place <= static_cast<float>(last + 1))) return;
    const float inside = fmaxf(place, 0.0f);
    low = min(static_cast<int>(inside), last);
    fraction = low == last ? 0.0f : inside - static_cast<float>(low);
  }

  /// Share of `pixel` in bin b.
  __device__ float weight(int b, int pixel) const {
    float sum = 0;
    for (int i = 0; i < samples; ++i) {
      int low;
      float fraction;
      sample(b, i, low, fraction);
      if (low < 0) continue;
      if (low == pixel) sum += 1.0f - fraction;
      if (low + 1 == pixel) sum += fraction;
    }
    return sum / static_cast<float>(samples);
  }

  /// Bins that may have a share in pixels [first, first + kRoiTile): from `begin` up to `end`.
  __device__ void binsOf(int first, int bins, int& begin, int& end) const {
    // Outside the map a sample counts for the nearest pixel, up to one away.
    const bool isFirst = first == 0, isLast = first + kRoiTile > last;
    const float low = static_cast<float>(first) - (isFirst ? 2.0f : 1.0f),
                high = static_cast<float>(first + kRoiTile) + (isLast ? 2.0f : 0.0f);
    begin = max(static_cast<int>(floorf((low - from) / bin)), 0);
    end = min(static_cast<int>(ceilf((high - from) / bin)) + 1, bins);
  }

  /// Whether pixels [first, first + kRoiTile) may have a share in the region of this many bins.
  __device__ bool mayTouch(int first, int bins) const {
    const float limit = static_cast<float>(last);
    const float low = fminf(fmaxf(from - 1.0f, 0.0f), limit);
    const float high = fminf(fmaxf(from + bin * static_cast<float>(bins) + 1.0f, 0.0f), limit);
    return high >= static_cast<float>(first) && low < static_cast<float>(first + kRoiTile);
  }
};

/// What both kernels know of a level and a set of regions.
struct RoiLevel {
  const float* rois;           // [K,5]
  const std::int64_t* levels;  // [K]
  std::int64_t count;          // K
  int index, channels, height, width;
  float scale;
  int binRows, binColumns, samplingRatio;

  __device__ int imageOf(std::int64_t k) const { return static_cast<int>(rois[5 * k]); }
  __device__ RoiAxis rows(std::int64_t k) const {
    return {rois[5 * k + 2] * scale, rois[5 * k + 4] * scale, binRows, samplingRatio, height};
  }
  __device__ RoiAxis columns(std::int64_t k) const {
    return {rois[5 * k + 1] * scale, rois[5 * k + 3] * scale, binColumns, samplingRatio, width};
  }
};

/// Strides of a channels_last map.
struct MapStrides {
  std::int64_t image, row, column;
};

/// Adds weight * the pack at `source` to the sums.
template <typename T, int kCount>
__device__ void addWeighted(const T* source, Wide<T> weight, Wide<T> (&sums)[kCount]) {
  const auto pack = *reinterpret_cast<const Pack<T, kCount>*>(source);
  LOCKSTEP_UNROLL
  for (int i = 0; i < kCount; ++i) sums[i] += weight * static_cast<Wide<T>>(pack.values[i]);
}

/// One block per RoI, one warp per bin, kCount channels per thread. Features are channels_last. out
/// [K,binRows,binColumns,C] starts as 0.
template <typename T, int kCount>
__global__ void roiAlignKernel(const T* features, MapStrides strides, RoiLevel level, T* out) {
  const std::int64_t k = blockIdx.x;
  if (level.levels[k] != level.index) return;
  const RoiAxis rows = level.rows(k), columns = level.columns(k);
  const T* map = features + level.imageOf(k) * strides.image;
  const int bins = level.binRows * level.binColumns;
  const auto share = static_cast<Wide<T>>(1) / static_cast<Wide<T>>(rows.samples * columns.samples);
  for (int bin = static_cast<int>(threadIdx.x) / kRoiWarp; bin < bins;
       bin += static_cast<int>(blockDim.x) / kRoiWarp) {
    const int row = bin / level.binColumns, column = bin % level.binColumns;
    for (int channel = static_cast<int>(threadIdx.x) % kRoiWarp * kCount; channel < level.channels;
         channel += kRoiWarp * kCount) {
      Wide<T> sums[kCount] = {};
      for (int a = 0; a < rows.samples; ++a) {
        int top, left;
        float down, along;
        rows.sample(row, a, top, down);
        if (top < 0) continue;
        const T* upper = map + channel + top * strides.row;
        const T* lower = down > 0 ? upper + strides.row : upper;
        for (int b = 0; b < columns.samples; ++b) {
          columns.sample(column, b, left, along);
          if (left < 0) continue;
          const std::int64_t first = left * strides.column,
                             second = along > 0 ? first + strides.column : first;
          const Wide<T> y = down, x = along;
          addWeighted(upper + first, (1 - y) * (1 - x), sums);
          addWeighted(upper + second, (1 - y) * x, sums);
          addWeighted(lower + first, y * (1 - x), sums);
          addWeighted(lower + second, y * x, sums);
        }
      }
      Pack<T, kCount> result;
      LOCKSTEP_UNROLL
      for (int i = 0; i < kCount; ++i) result.values[i] = static_cast<T>(sums[i] * share);
      *reinterpret_cast<Pack<T, kCount>*>(out + (k * bins + bin) * level.channels + channel) =
          result;
    }
  }
}

/// The regions of every image and level, each in its order.
struct RegionLists {
  const std::int64_t* order;  // [K], regions by image and level
  const std::int64_t* first;  // [N * levels + 1], where each list begins in it
  int levels;
};

/// Output gradient of a set of RoIs.
template <typename T>
struct GradOfSet {
  RoiLevel level;
  RegionLists lists;
  const T* gradOut;  // [K,binRows,binColumns,C]
};

constexpr int kMostGradSets = 2;

/// Sets of regions on one level.
template <typename T>
struct GradOfSets {
  GradOfSet<T> sets[kMostGradSets];
  int count;
};

/// The feature pixels [kRoiTile,kRoiTile] of a block, from (y0, x0) on.
struct RoiTile {
  int image, x0, y0;
};

/// Sums of a channel over a tile.
template <typename T>
using TileSums = Wide<T>[kRoiTile][kRoiTile];

/// Adds a channel of RoI k, with axis weights in `weights`, to the sums.
template <typename T>
__device__ void addRegion(const GradOfSet<T>& set, std::int64_t k, const RoiTile& tile, int channel,
                          const float* weights, TileSums<T>& sums) {
  const RoiLevel& level = set.level;
  const float* columnWeights = weights + level.binRows * kRoiTile;
  int firstRow, endRow, firstColumn, endColumn;
  level.rows(k).binsOf(tile.y0, level.binRows, firstRow, endRow);
  level.columns(k).binsOf(tile.x0, level.binColumns, firstColumn, endColumn);
  for (int i = firstRow; i < endRow; ++i) {
    const T* grad =
        set.gradOut + ((k * level.binRows + i) * level.binColumns) * level.channels + channel;
    Wide<T> ofRow[kRoiTile] = {};
    for (int j = firstColumn; j < endColumn; ++j) {
      const auto value = static_cast<Wide<T>>(grad[static_cast<std::int64_t>(j) * level.channels]);
      LOCKSTEP_UNROLL
      for (int x = 0; x < kRoiTile; ++x)
        ofRow[x] += static_cast<Wide<T>>(columnWeights[j * kRoiTile + x]) * value;
    }
    LOCKSTEP_UNROLL
    for (int y = 0; y < kRoiTile; ++y) {
      const auto rowWeight = static_cast<Wide<T>>(weights[i * kRoiTile + y]);
      LOCKSTEP_UNROLL
      for (int x = 0; x < kRoiTile; ++x) sums[y][x] += rowWeight * ofRow[x];
    }
  }
}

/// Adds a channel of a set's regions in their order to the sums. All threads of the block;
/// `weights` [binRows + binColumns][kRoiTile] and `touches` [kRoiThreads] are shared by them.
template <typename T>
__device__ void addSet(const GradOfSet<T>& set, const RoiTile& tile, int channel, float* weights,
                       bool* touches, TileSums<T>& sums) {
  const RoiLevel& level = set.level;
  const std::int64_t list = static_cast<std::int64_t>(tile.image) * set.lists.levels + level.index;
  const std::int64_t listEnd = set.lists.first[list + 1];
  for (std::int64_t start = set.lists.first[list]; start < listEnd; start += kRoiThreads) {
    const std::int64_t mine = start + threadIdx.x;
    touches[threadIdx.x] = false;
    if (mine < listEnd) {
      const std::int64_t k = set.lists.order[mine];
      touches[threadIdx.x] = level.rows(k).mayTouch(tile.y0, level.binRows) &&
                             level.columns(k).mayTouch(tile.x0, level.binColumns);
    }
    __syncthreads();
    const int size = static_cast<int>(min(static_cast<std::int64_t>(kRoiThreads), listEnd - start));
    for (int offset = 0; offset < size; ++offset) {
      if (!touches[offset]) continue;  // the same for all threads
      const std::int64_t k = set.lists.order[start + offset];
      const RoiAxis rows = level.rows(k), columns = level.columns(k);
      for (int i = threadIdx.x; i < (level.binRows + level.binColumns) * kRoiTile;
           i += kRoiThreads) {
        const int bin = i / kRoiTile, pixel = i % kRoiTile;
        weights[i] = bin < level.binRows ? rows.weight(bin, tile.y0 + pixel)
                                         : columns.weight(bin - level.binRows, tile.x0 + pixel);
      }
      __syncthreads();
      if (channel < level.channels) addRegion(set, k, tile, channel, weights, sums);
      __syncthreads();
    }
    __syncthreads();
  }
}

/// One block per tile of an image, one thread per channel; sets and regions are walked in their
/// order, so that every element has one owner and one order of summation. gradIn [N,H,W,C].
template <typename T>
__global__ void roiAlignBackwardKernel(GradOfSets<T> all, T* gradIn) {
  auto* const weights = dynamicShared<float>();
  __shared__ bool touches[kRoiThreads];
  const RoiLevel& map = all.sets[0].level;  // equal for all sets but for the regions
  const int tilesAcross = (map.width + kRoiTile - 1) / kRoiTile;
  const RoiTile tile{static_cast<int>(blockIdx.y),
                     static_cast<int>(blockIdx.x) % tilesAcross * kRoiTile,
                     static_cast<int>(blockIdx.x) / tilesAcross * kRoiTile};
  const int channel = static_cast<int>(blockIdx.z * blockDim.x + threadIdx.x);
  TileSums<T> sums = {};
  for (int s = 0; s < all.count; ++s) addSet(all.sets[s], tile, channel, weights, touches, sums);
  if (channel >= map.channels) return;
  LOCKSTEP_UNROLL
  for (int y = 0; y < kRoiTile; ++y) {
    LOCKSTEP_UNROLL
    for (int x = 0; x < kRoiTile; ++x) {
      if (tile.y0 + y >= map.height || tile.x0 + x >= map.width) continue;
      const std::int64_t pixel =
          (static_cast<std::int64_t>(tile.image) * map.height + tile.y0 + y) * map.width + tile.x0 +
          x;
      gradIn[pixel * map.channels + channel] = static_cast<T>(sums[y][x]);
    }
  }
}

inline Launch roiAlignLaunch(const RoiLevel& level) {
  return {static_cast<unsigned>(level.count), 1, 1, kRoiThreads};
}

template <typename T>
Launch roiAlignBackwardLaunch(const GradOfSets<T>& all, std::int64_t images) {
  const RoiLevel& map = all.sets[0].level;
  const unsigned tiles = blocksFor(map.height, kRoiTile) * blocksFor(map.width, kRoiTile);
  int mostBins = 0;
  for (int s = 0; s < all.count; ++s)
    mostBins = std::max(mostBins, all.sets[s].level.binRows + all.sets[s].level.binColumns);
  return {tiles, static_cast<unsigned>(images), blocksFor(map.channels, kRoiThreads), kRoiThreads,
          static_cast<std::size_t>(mostBins) * kRoiTile * sizeof(float)};
}

}  // namespace lockstep::ops
