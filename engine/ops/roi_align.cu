#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "engine/ops/roi_align_cuda.h"

namespace lockstep::ops {
namespace {

constexpr int kThreads = 256;
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
    const float place = from + static_cast<float>(b) * bin + step;
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

struct Strides {
  std::int64_t image, channel, row, column;
};

/// One thread per output element; out [K,binRows,binColumns,C].
template <typename T>
__global__ void poolKernel(const T* features, Strides strides, Level level, T* out) {
  const std::int64_t total = level.count * level.binRows * level.binColumns * level.channels;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < total;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const std::int64_t channel = i % level.channels, place = i / level.channels;
    const int column = static_cast<int>(place % level.binColumns);
    const int row = static_cast<int>(place / level.binColumns % level.binRows);
    const std::int64_t k = place / (static_cast<std::int64_t>(level.binColumns) * level.binRows);
    if (level.levels[k] != level.index) continue;
    const Axis rows = level.rows(k), columns = level.columns(k);
    const T* map = features + level.imageOf(k) * strides.image + channel * strides.channel;
    T sum = 0;
    for (int a = 0; a < rows.samples; ++a) {
      int top, left;
      float down, along;
      rows.sample(row, a, top, down);
      if (top < 0) continue;
      const T* upper = map + top * strides.row;
      const T* lower = down > 0 ? upper + strides.row : upper;
      for (int b = 0; b < columns.samples; ++b) {
        columns.sample(column, b, left, along);
        if (left < 0) continue;
        const std::int64_t first = left * strides.column,
                           second = along > 0 ? first + strides.column : first;
        sum +=
            static_cast<T>(1 - down) *
                (static_cast<T>(1 - along) * upper[first] + static_cast<T>(along) * upper[second]) +
            static_cast<T>(down) *
                (static_cast<T>(1 - along) * lower[first] + static_cast<T>(along) * lower[second]);
      }
    }
    out[i] = sum / static_cast<T>(rows.samples * columns.samples);
  }
}

/// One block per tile of an image, one thread per channel; regions are walked in their order, so
/// that every element has one owner and one order of summation. gradOut [K,binRows,binColumns,C],
/// gradIn [N,H,W,C].
template <typename T>
__global__ void spreadKernel(const T* gradOut, Level level, T* gradIn) {
  extern __shared__ float weights[];  // [binRows + binColumns][kTile]
  __shared__ bool touches[kThreads];
  float* columnWeights = weights + level.binRows * kTile;
  const int tilesAcross = (level.width + kTile - 1) / kTile;
  const int x0 = static_cast<int>(blockIdx.x) % tilesAcross * kTile,
            y0 = static_cast<int>(blockIdx.x) / tilesAcross * kTile;
  const int image = static_cast<int>(blockIdx.y);
  const int channel = static_cast<int>(blockIdx.z * blockDim.x + threadIdx.x);
  T sums[kTile][kTile] = {};

  for (std::int64_t start = 0; start < level.count; start += kThreads) {
    const std::int64_t mine = start + threadIdx.x;
    touches[threadIdx.x] = mine < level.count && level.levels[mine] == level.index &&
                           level.imageOf(mine) == image &&
                           level.rows(mine).mayTouch(y0, level.binRows) &&
                           level.columns(mine).mayTouch(x0, level.binColumns);
    __syncthreads();
    const int size =
        static_cast<int>(min(static_cast<std::int64_t>(kThreads), level.count - start));
    for (int offset = 0; offset < size; ++offset) {
      if (!touches[offset]) continue;  // the same for all threads
      const std::int64_t k = start + offset;
      for (int i = threadIdx.x; i < (level.binRows + level.binColumns) * kTile; i += kThreads) {
        const int bin = i / kTile, pixel = i % kTile;
        weights[i] = bin < level.binRows ? level.rows(k).weight(bin, y0 + pixel)
                                         : level.columns(k).weight(bin - level.binRows, x0 + pixel);
      }
      __syncthreads();
      if (channel < level.channels) {
        const T* grad = gradOut + k * level.binRows * level.binColumns * level.channels + channel;
        for (int i = 0; i < level.binRows; ++i) {
          for (int j = 0; j < level.binColumns; ++j, grad += level.channels) {
            const T value = *grad;
#pragma unroll
            for (int y = 0; y < kTile; ++y) {
              const float rowWeight = weights[i * kTile + y];
              if (rowWeight == 0) continue;
#pragma unroll
              for (int x = 0; x < kTile; ++x) {
                sums[y][x] += static_cast<T>(rowWeight) *
                              static_cast<T>(columnWeights[j * kTile + x]) * value;
              }
            }
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
      gradIn[pixel * level.channels + channel] = sums[y][x];
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

}  // namespace

at::Tensor roiAlignForwardCuda(at::TensorList features, const at::Tensor& rois,
                               const at::Tensor& levels, const std::vector<double>& spatialScales,
                               const RoiAlignShape& shape) {
  const c10::cuda::CUDAGuard guard(rois.device());
  at::Tensor out = at::zeros({rois.size(0), shape.height, shape.width, features[0].size(1)},
                             features[0].options());
  if (out.numel() == 0) return out.permute({0, 3, 1, 2});
  const auto blocks = static_cast<unsigned>(
      std::min<std::int64_t>((out.numel() + kThreads - 1) / kThreads, 1 << 20));
  for (std::size_t i = 0; i < features.size(); ++i) {
    const at::Tensor& map = features[i];
    const Level level = describe(static_cast<int>(i), {map.size(1), map.size(2), map.size(3)},
                                 spatialScales[i], rois, levels, shape);
    const Strides strides{map.stride(0), map.stride(1), map.stride(2), map.stride(3)};
    AT_DISPATCH_FLOATING_TYPES(map.scalar_type(), "roi_align_forward", [&] {
      poolKernel<scalar_t><<<blocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
          map.const_data_ptr<scalar_t>(), strides, level, out.data_ptr<scalar_t>());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
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
    AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "roi_align_backward", [&] {
      spreadKernel<scalar_t><<<grid, kThreads, sharedBytes, c10::cuda::getCurrentCUDAStream()>>>(
          grad.const_data_ptr<scalar_t>(), level, gradIn.data_ptr<scalar_t>());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    grads.push_back(gradIn.permute({0, 3, 1, 2}));
  }
  return grads;
}

}  // namespace lockstep::ops
