#pragma once

#include <cstdint>

#include "engine/ops/cuda/channel_packs.cuh"
#include "engine/ops/pool_size.h"

/// Kernels of max_pool.cu, of channels_last maps: the blocks' x is a row of an image, a thread
/// takes kCount channels of a pixel of it.
namespace lockstep::ops {

/// The pixel and the first channel of a thread; isInRow: within it.
template <int kCount>
struct PoolItem {
  int column, channel;
  bool isInRow;

  __device__ PoolItem(int width, int channels) {
    const auto packs = static_cast<unsigned>(channels) / kCount;
    const unsigned item = blockIdx.y * blockDim.x + threadIdx.x;
    column = static_cast<int>(item / packs);
    channel = static_cast<int>(item % packs) * kCount;
    isInRow = column < width;
  }
};

/// argmax: 3 * row + column of the maximum in its window.
template <typename T, int kCount>
__global__ void maxPoolKernel(PoolSize size, const T* x, T* out, std::uint8_t* argmax) {
  const auto height = static_cast<int>(size.height), width = static_cast<int>(size.width);
  const PoolItem<kCount> item(static_cast<int>(size.outWidth), static_cast<int>(size.channels));
  if (!item.isInRow) return;
  const std::int64_t image = blockIdx.x / size.outHeight;
  const int row = static_cast<int>(blockIdx.x % size.outHeight);
  Pack<T, kCount> best{};
  Pack<std::uint8_t, kCount> index{};
  bool isFirst = true;
  for (int i = 0; i < 3; ++i) {
    const int y = 2 * row - 1 + i;
    if (y < 0 || y >= height) continue;
    for (int j = 0; j < 3; ++j) {
      const int column = 2 * item.column - 1 + j;
      if (column < 0 || column >= width) continue;
      const std::int64_t pixel = (image * height + y) * width + column;
      const auto pack =
          *reinterpret_cast<const Pack<T, kCount>*>(x + pixel * size.channels + item.channel);
      for (int c = 0; c < kCount; ++c) {
        const auto value = static_cast<Wide<T>>(pack.values[c]);
        // NaN propagates.
        if (isFirst || value > static_cast<Wide<T>>(best.values[c]) || value != value) {
          best.values[c] = pack.values[c];
          index.values[c] = static_cast<std::uint8_t>(3 * i + j);
        }
      }
      isFirst = false;
    }
  }
  const std::int64_t to = (blockIdx.x * size.outWidth + item.column) * size.channels + item.channel;
  *reinterpret_cast<Pack<T, kCount>*>(out + to) = best;
  *reinterpret_cast<Pack<std::uint8_t, kCount>*>(argmax + to) = index;
}

/// Sums the gradients of the (at most four) windows of a pixel, in window order.
template <typename T, int kCount>
__global__ void maxPoolBackwardKernel(PoolSize size, const T* gradOut, const std::uint8_t* argmax,
                                      T* gradIn) {
  const PoolItem<kCount> item(static_cast<int>(size.width), static_cast<int>(size.channels));
  if (!item.isInRow) return;
  const std::int64_t image = blockIdx.x / size.height;
  const int y = static_cast<int>(blockIdx.x % size.height), x = item.column;
  const auto outHeight = static_cast<int>(size.outHeight),
             outWidth = static_cast<int>(size.outWidth);
  Wide<T> sums[kCount] = {};
  for (int row = y / 2; row <= (y + 1) / 2 && row < outHeight; ++row) {
    for (int column = x / 2; column <= (x + 1) / 2 && column < outWidth; ++column) {
      const int here = 3 * (y - 2 * row + 1) + (x - 2 * column + 1);
      const std::int64_t from =
          ((image * outHeight + row) * outWidth + column) * size.channels + item.channel;
      const auto grad = *reinterpret_cast<const Pack<T, kCount>*>(gradOut + from);
      const auto index = *reinterpret_cast<const Pack<std::uint8_t, kCount>*>(argmax + from);
      for (int c = 0; c < kCount; ++c)
        if (index.values[c] == here) sums[c] += static_cast<Wide<T>>(grad.values[c]);
    }
  }
  Pack<T, kCount> sum;
  for (int c = 0; c < kCount; ++c) sum.values[c] = static_cast<T>(sums[c]);
  const std::int64_t to = (blockIdx.x * size.width + x) * size.channels + item.channel;
  *reinterpret_cast<Pack<T, kCount>*>(gradIn + to) = sum;
}

}  // namespace lockstep::ops
