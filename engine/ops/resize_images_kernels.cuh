#pragma once

#include <cmath>
#include <cstdint>

#include "engine/ops/image_row.h"
#include "engine/ops/launch.h"

/// Kernel of resize_images.cu. Letters: N images.
namespace lockstep::ops {

constexpr int kResizeThreads = 256;
constexpr int kImageChannels = 3;

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

/// A thread an element of out [N,height,width,3]: x grid along a row, y rows, z images.
inline __global__ void resizeKernel(const std::uint8_t* pixels, const ImageRow* images,
                                    ChannelValues means, ChannelValues deviations, int width,
                                    float* out) {
  const int place = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (place >= width * kImageChannels) return;
  const int x = place / kImageChannels, channel = place - x * kImageChannels;
  const int y = static_cast<int>(blockIdx.y);
  const ImageRow image = images[blockIdx.z];
  float value = 0;
  if (x < image.resizedWidth && y < image.resizedHeight) {
    const LinearTap column =
        linearTap(x, image.width, image.resizedWidth, image.flipsHorizontally != 0);
    const LinearTap row =
        linearTap(y, image.height, image.resizedHeight, image.flipsVertically != 0);
    const float mean = means.of(channel), deviation = deviations.of(channel);
    const auto across = [&](int sourceRow) {
      const std::uint8_t* line =
          pixels + image.firstByte + sourceRow * image.width * kImageChannels + channel;
      const auto at = [&](int sourceColumn) {
        return (static_cast<float>(line[sourceColumn * kImageChannels]) / 255.0f - mean) /
               deviation;
      };
      return at(column.first) * (1.0f - column.weight) + at(column.second) * column.weight;
    };
    value = across(row.first) * (1.0f - row.weight) + across(row.second) * row.weight;
  }
  const std::int64_t line = static_cast<std::int64_t>(blockIdx.z) * gridDim.y + y;
  out[line * width * kImageChannels + place] = value;
}

/// Of images [N,height,width,3].
inline Launch resizeLaunch(std::int64_t images, std::int64_t height, std::int64_t width) {
  return {blocksFor(width * kImageChannels, kResizeThreads), static_cast<unsigned>(height),
          static_cast<unsigned>(images), kResizeThreads};
}

}  // namespace lockstep::ops
