#pragma once

#include <cmath>
#include <cstdint>

#include "engine/ops/cuda/channel_packs.cuh"
#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/host_device.h"
#include "engine/structures/image_row.h"

/// Kernel of resize_images.cu. Letters: N images, C channels that are stored.
namespace lockstep::ops {

constexpr int kResizeThreads = 256;

/// Kept in registers: an array would be indexed in local memory.
struct ChannelValues {
  float red, green, blue;

  __device__ float of(int channel) const {
    return channel == 0 ? red : channel == 1 ? green : blue;
  }
};

/// in[first] * (1 - weight) + in[second] * weight, as on the CPU (resize_images.cpp).
struct LinearTap {
  int first, second;
  float weight;
};

inline __device__ LinearTap linearTap(int out, std::int64_t inSide, std::int64_t outSide,
                                      bool flips) {
  const int inPx = static_cast<int>(inSide);
  const float scale = static_cast<float>(inPx) / static_cast<float>(outSide);
  const float source = fmaxf(fmaf(scale, static_cast<float>(out) + 0.5f, -0.5f), 0.0f);
  const int first = min(static_cast<int>(source), inPx - 1);
  const int second = min(first + 1, inPx - 1);
  const float weight = fminf(fmaxf(source - static_cast<float>(first), 0.0f), 1.0f);
  return {flips ? inPx - 1 - first : first, flips ? inPx - 1 - second : second, weight};
}

/// One thread per pixel of out [N,height,width,C]: x grid along a row, y rows, z images. C of 4:
/// the fourth channel is 0, and a pixel is one store.
template <typename T, int kStored>
__global__ void resizeKernel(const std::uint8_t* pixels, const structures::ImageRow* images,
                             ChannelValues means, ChannelValues deviations, int width, T* out) {
  static_assert(kStored == structures::kImageChannels || kStored == structures::kPaddedChannels);
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= width) return;
  const int y = static_cast<int>(blockIdx.y);
  const structures::ImageRow image = images[blockIdx.z];
  float values[structures::kPaddedChannels] = {};
  if (x < image.resizedWidth && y < image.resizedHeight) {
    const LinearTap column =
        linearTap(x, image.width, image.resizedWidth, image.flipsHorizontally != 0);
    const LinearTap row =
        linearTap(y, image.height, image.resizedHeight, image.flipsVertically != 0);
    const std::uint8_t* first = pixels + image.firstByte;
    LOCKSTEP_UNROLL
    for (int channel = 0; channel < structures::kImageChannels; ++channel) {
      const float mean = means.of(channel), deviation = deviations.of(channel);
      const auto across = [&](int sourceRow) {
        const std::uint8_t* line =
            first + sourceRow * image.width * structures::kImageChannels + channel;
        const auto at = [&](int sourceColumn) {
          return (static_cast<float>(line[sourceColumn * structures::kImageChannels]) / 255.0f -
                  mean) /
                 deviation;
        };
        return at(column.first) * (1.0f - column.weight) + at(column.second) * column.weight;
      };
      values[channel] = across(row.first) * (1.0f - row.weight) + across(row.second) * row.weight;
    }
  }
  const std::int64_t line = static_cast<std::int64_t>(blockIdx.z) * gridDim.y + y;
  T* place = out + (line * width + x) * kStored;
  if constexpr (kStored == structures::kPaddedChannels) {
    Pack<T, kStored> pixel;
    LOCKSTEP_UNROLL
    for (int channel = 0; channel < kStored; ++channel)
      pixel.values[channel] = static_cast<T>(values[channel]);
    *reinterpret_cast<Pack<T, kStored>*>(place) = pixel;
  } else {
    LOCKSTEP_UNROLL
    for (int channel = 0; channel < kStored; ++channel)
      place[channel] = static_cast<T>(values[channel]);
  }
}

/// Of images [N,height,width,C].
inline Launch resizeLaunch(std::int64_t images, std::int64_t height, std::int64_t width) {
  return {blocksFor(width, kResizeThreads), static_cast<unsigned>(height),
          static_cast<unsigned>(images), kResizeThreads};
}

}  // namespace lockstep::ops
