#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "engine/ops/channel_packs.cuh"
#include "engine/ops/roi_align_cuda.h"

namespace lockstep::ops {
namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr int kTile = 8;  // side of the square of feature pixels whose gradient one block adds up

/// One axis of a region in feature pixels.
struct Axis {
  float from, bin;
  int samples, last;  // sample points per bin; index of the last pixel

  __device__ Axis(float begin, float end, int bins, int samplingRatio, int pixels)
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

  /// Bins that may have a share in pixels [first, first + kTile): from `begin` up to `end`.
  __device__ void binsOf(int first, int bins, int& begin, int& end) const {
    // Outside the map a sample counts for the nearest pixel, up to one away.
    const bool isFirst = first == 0, isLast = first + kTile > last;
    const float low = static_cast<float>(first) - (isFirst ? 2.0f : 1.0f),
                high = static_cast<float>(first + kTile) + (isLast ? 2.0f : 0.0f);
    begin = max(static_cast<int>(floorf((low - from) / bin)), 0);
    end = min(static_cast<int>(ceilf((high - from) / bin)) + 1, bins);
  }

  /// Whether pixels [first, first + kTile) may have a share in the region of this many bins.
  __device__ bool mayTouch(int first, int bins) const {
    const float limit = static_cast<float>(last);
    const float low = fminf(fmaxf(from - 1.0f, 0.0f), limit);
    const float high = fminf(fmaxf(from + bin * static_cast<float>(bins) + 1.0f, 0.0f), limit);
    return high >= static_cast<float>(first) && low < static_cast<float>(first + kTile);
  }
};

/// What both kernels know of a level and the regions.
struct Level {
  const float* rois;           // [K,5]
  const std::int64_t* levels;  // [K]
  std::int64_t count;          // K
  int index, channels, height, width;
  float scale;
  int binRows, binColumns, samplingRatio;

  __device__ int imageOf(std::int64_t k) const { return static_cast<int>(rois[5 * k]); }
  __device__ Axis rows(std::int64_t k) const {
    return {rois[5 * k + 2] * scale, rois[5 * k + 4] * scale, binRows, samplingRatio, height};
  }
  __device__ Axis columns(std::int64_t k) const {
    return {rois[5 * k + 1] * scale, rois[5 * k + 3] * scale, binColumns, samplingRatio, width};
  }
};

/// Of maps whose channels lie side by side.
struct Strides {
  std::int64_t image, row, column;
};

/// Adds weight * the pack at `place` to the sums.
template <typename T, int kCount>
__device__ void addWeighted(const T* place, Wide<T> weight, Wide<T> (&sums)[kCount]) {
  const auto pack = *reinterpret_cast<const Pack<T, kCount>*>(place);
#pragma unroll
  for (int i = 0; i < kCount; ++i) sums[i] += weight * static_cast<Wide<T>>(pack.values[i]);
}

/// One block a region; a warp takes a bin, its threads kCount channels each. Features lie channels
/// last. out [K,binRows,binColumns,C] starts as 0.
template <typename T, int kCount>
__global__ void poolKernel(const T* features, Strides strides, Level level, T* out) {
  const std::int64_t k = blockIdx.x;
  if (level.levels[k] != level.index) return;
  const Axis rows = level.rows(k), columns = level.columns(k);
  const T* map = features + level.imageOf(k) * strides.image;
  const int bins = level.binRows * level.binColumns;
  const auto share = static_cast<Wide<T>>(1) / static_cast<Wide<T>>(rows.samples * columns.samples);
  for (int bin = static_cast<int>(threadIdx.x) / kWarp; bin < bins;
       bin += static_cast<int>(blockDim.x) / kWarp) {
    const int row = bin / level.binColumns, column = bin % level.binColumns;
    for (int channel = static_cast<int>(threadIdx.x) % kWarp * kCount; channel < level.channels;
         channel += kWarp * kCount) {
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
#pragma unroll
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

/// One block per tile of an image, one thread per channel; regions are walked in their order, so
/// that every element has one owner and one order of summation. gradOut [K,binRows,binColumns,C],
/// gradIn [N,H,W,C].
template <typename T>
__global__ void spreadKernel(const T* gradOut, Level level, RegionLists lists, T* gradIn) {
  extern __shared__ float weights[];  // [binRows + binColumns][kTile]
  __shared__ bool touches[kThreads];
  float* columnWeights = weights + level.binRows * kTile;
  const int tilesAcross = (level.width + kTile - 1) / kTile;
  const int x0 = static_cast<int>(blockIdx.x) % tilesAcross * kTile,
            y0 = static_cast<int>(blockIdx.x) / tilesAcross * kTile;
  const int image = static_cast<int>(blockIdx.y);
  const int channel = static_cast<int>(blockIdx.z * blockDim.x + threadIdx.x);
  const std::int64_t list = static_cast<std::int64_t>(image) * lists.levels + level.index;
  const std::int64_t listEnd = lists.first[list + 1];
  Wide<T> sums[kTile][kTile] = {};

  for (std::int64_t start = lists.first[list]; start < listEnd; start += kThreads) {
    const std::int64_t mine = start + threadIdx.x;
    touches[threadIdx.x] = false;
    if (mine < listEnd) {
      const std::int64_t k = lists.order[mine];
      touches[threadIdx.x] = level.rows(k).mayTouch(y0, level.binRows) &&
                             level.columns(k).mayTouch(x0, level.binColumns);
    }
    __syncthreads();
    const int size = static_cast<int>(min(static_cast<std::int64_t>(kThreads), listEnd - start));
    for (int offset = 0; offset < size; ++offset) {
      if (!touches[offset]) continue;  // the same for all threads
      const std::int64_t k = lists.order[start + offset];
      const Axis rows = level.rows(k), columns = level.columns(k);
      for (int i = threadIdx.x; i < (level.binRows + level.binColumns) * kTile; i += kThreads) {
        const int bin = i / kTile, pixel = i % kTile;
        weights[i] = bin < level.binRows ? rows.weight(bin, y0 + pixel)
                                         : columns.weight(bin - level.binRows, x0 + pixel);
      }
      __syncthreads();
      if (channel < level.channels) {
        int firstRow, endRow, firstColumn, endColumn;
        rows.binsOf(y0, level.binRows, firstRow, endRow);
        columns.binsOf(x0, level.binColumns, firstColumn, endColumn);
        for (int i = firstRow; i < endRow; ++i) {
          const T* grad =
              gradOut + ((k * level.binRows + i) * level.binColumns) * level.channels + channel;
          Wide<T> ofRow[kTile] = {};
#pragma unroll 4
          for (int j = firstColumn; j < endColumn; ++j) {
            const auto value =
                static_cast<Wide<T>>(grad[static_cast<std::int64_t>(j) * level.channels]);
#pragma unroll
            for (int x = 0; x < kTile; ++x)
              ofRow[x] += static_cast<Wide<T>>(columnWeights[j * kTile + x]) * value;
          }
#pragma unroll
          for (int y = 0; y < kTile; ++y) {
            const auto rowWeight = static_cast<Wide<T>>(weights[i * kTile + y]);
#pragma unroll
            for (int x = 0; x < kTile; ++x) sums[y][x] += rowWeight * ofRow[x];
          }
        }
      }
      __syncthreads();
    }
    __syncthreads();
  }
  if (channel >= level.channels) return;
#pragma unroll
  for (int y = 0; y < kTile; ++y) {
#pragma unroll
    for (int x = 0; x < kTile; ++x) {
      if (y0 + y >= level.height || x0 + x >= level.width) continue;
      const std::int64_t pixel =
          (static_cast<std::int64_t>(image) * level.height + y0 + y) * level.width + x0 + x;
      gradIn[pixel * level.channels + channel] = static_cast<T>(sums[y][x]);
    }
  }
}

struct LevelSize {
  std::int64_t channels, height, width;
};

Level describe(int index, const LevelSize& size, double scale, const at::Tensor& rois,
               const at::Tensor& levels, const RoiAlignShape& shape) {
  return {rois.const_data_ptr<float>(),
          levels.const_data_ptr<std::int64_t>(),
          rois.size(0),
          index,
          static_cast<int>(size.channels),
          static_cast<int>(size.height),
          static_cast<int>(size.width),
          static_cast<float>(scale),
          static_cast<int>(shape.height),
          static_cast<int>(shape.width),
          static_cast<int>(shape.samplingRatio)};
}

/// In packs where the maps allow it.
template <typename T>
void launchPool(const at::Tensor& map, const Level& level, at::Tensor& out) {
  constexpr int kCount = kPackCount<T>;
  const Strides strides{map.stride(0), map.stride(2), map.stride(3)};
  const auto blocks = static_cast<unsigned>(level.count);
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const T* features = map.const_data_ptr<T>();
  T* pooled = out.data_ptr<T>();
  if (hasPacks(features, level.channels) && hasPacks(pooled, level.channels)) {
    poolKernel<T, kCount><<<blocks, kThreads, 0, stream>>>(features, strides, level, pooled);
  } else {
    poolKernel<T, 1><<<blocks, kThreads, 0, stream>>>(features, strides, level, pooled);
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

/// The tensors behind RegionLists.
struct ListTensors {
  at::Tensor order, first;

  ListTensors(const at::Tensor& rois, const at::Tensor& levels, std::int64_t images,
              std::int64_t levelCount) {
    const at::Tensor list =
        (rois.select(1, 0).to(at::kLong) * levelCount + levels)
            .masked_fill(levels == kNoLevel, images * levelCount);  // after the last
    at::Tensor sorted;
    std::tie(sorted, order) = list.sort(/*stable=*/true, 0, /*descending=*/false);
    first = at::searchsorted(sorted, at::arange(images * levelCount + 1, sorted.options()));
  }
};

}  // namespace

at::Tensor roiAlignForwardCuda(at::TensorList features, const at::Tensor& rois,
                               const at::Tensor& levels, const std::vector<double>& spatialScales,
                               const RoiAlignShape& shape) {
  const c10::cuda::CUDAGuard guard(rois.device());
  at::Tensor out = at::zeros({rois.size(0), shape.height, shape.width, features[0].size(1)},
                             features[0].options());
  if (out.numel() == 0) return out.permute({0, 3, 1, 2});
  for (std::size_t i = 0; i < features.size(); ++i) {
    const at::Tensor map = features[i].contiguous(at::MemoryFormat::ChannelsLast);
    const Level level = describe(static_cast<int>(i), {map.size(1), map.size(2), map.size(3)},
                                 spatialScales[i], rois, levels, shape);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, map.scalar_type(),
                                    "roi_align_forward",
                                    [&] { launchPool<scalar_t>(map, level, out); });
  }
  return out.permute({0, 3, 1, 2});
}

std::vector<at::Tensor> roiAlignBackwardCuda(const at::Tensor& gradOut,
                                             const std::vector<std::vector<std::int64_t>>& sizes,
                                             const at::Tensor& rois, const at::Tensor& levels,
                                             const std::vector<double>& spatialScales,
                                             const RoiAlignShape& shape) {
  const c10::cuda::CUDAGuard guard(rois.device());
  const at::Tensor grad = gradOut.permute({0, 2, 3, 1}).contiguous();
  const auto sharedBytes =
      static_cast<std::size_t>(shape.height + shape.width) * kTile * sizeof(float);
  const auto levelCount = static_cast<std::int64_t>(sizes.size());
  const ListTensors tensors(rois, levels, sizes[0][0], levelCount);
  const RegionLists lists{tensors.order.const_data_ptr<std::int64_t>(),
                          tensors.first.const_data_ptr<std::int64_t>(),
                          static_cast<int>(levelCount)};
  std::vector<at::Tensor> grads;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t images = sizes[i][0], channels = sizes[i][1], height = sizes[i][2],
                       width = sizes[i][3];
    at::Tensor gradIn = at::empty({images, height, width, channels}, grad.options());
    const Level level = describe(static_cast<int>(i), {channels, height, width}, spatialScales[i],
                                 rois, levels, shape);
    const std::int64_t tiles = ((height + kTile - 1) / kTile) * ((width + kTile - 1) / kTile);
    const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(images),
                    static_cast<unsigned>((channels + kThreads - 1) / kThreads));
    AT_DISPATCH_FLOATING_TYPES_AND2(
        at::kHalf, at::kBFloat16, grad.scalar_type(), "roi_align_backward", [&] {
          spreadKernel<scalar_t>
              <<<grid, kThreads, sharedBytes, c10::cuda::getCurrentCUDAStream()>>>(
                  grad.const_data_ptr<scalar_t>(), level, lists, gradIn.data_ptr<scalar_t>());
        });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    grads.push_back(gradIn.permute({0, 3, 1, 2}));
  }
  return grads;
}

}  // namespace lockstep::ops
