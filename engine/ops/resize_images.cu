#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdint>

#include "engine/ops/resize_images_cuda.h"

namespace lockstep::ops {
namespace {

constexpr int kThreads = 256;
constexpr int kChannels = 3;

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

__device__ LinearTap linearTap(int out, std::int64_t inSide, std::int64_t outSide, bool flips) {
  const int inPx = static_cast<int>(inSide);
  const float scale = static_cast<float>(inPx) / static_cast<float>(outSide);
  const float source = fmaxf(fmaf(scale, static_cast<float>(out) + 0.5f, -0.5f), 0.0f);
  const int first = min(static_cast<int>(source), inPx - 1);
  const int second = min(first + 1, inPx - 1);
  const float weight = fminf(fmaxf(source - static_cast<float>(first), 0.0f), 1.0f);
  return {flips ? inPx - 1 - first : first, flips ? inPx - 1 - second : second, weight};
}

/// A thread an element of out [N,height,width,3]: x grid along a row, y rows, z images.
__global__ void resizeKernel(const std::uint8_t* pixels, const ImageRow* images,
                             ChannelValues means, ChannelValues deviations, int width, float* out) {
  const int place = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (place >= width * kChannels) return;
  const int x = place / kChannels, channel = place - x * kChannels;
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
          pixels + image.firstByte + sourceRow * image.width * kChannels + channel;
      const auto at = [&](int sourceColumn) {
        return (static_cast<float>(line[sourceColumn * kChannels]) / 255.0f - mean) / deviation;
      };
      return at(column.first) * (1.0f - column.weight) + at(column.second) * column.weight;
    };
    value = across(row.first) * (1.0f - row.weight) + across(row.second) * row.weight;
  }
  const std::int64_t line = static_cast<std::int64_t>(blockIdx.z) * gridDim.y + y;
  out[line * width * kChannels + place] = value;
}

}  // namespace

at::Tensor resizeImagesCuda(const PackedImages& images, const ImageSize& padded) {
  const c10::cuda::CUDAGuard guard(images.pixels.device());
  at::Tensor out =
      at::empty({images.count(), kChannels, padded.height, padded.width},
                images.pixels.options().dtype(at::kFloat), at::MemoryFormat::ChannelsLast);
  if (out.numel() == 0) return out;
  const auto across = static_cast<unsigned>((padded.width * kChannels + kThreads - 1) / kThreads);
  const dim3 blocks(across, static_cast<unsigned>(padded.height),
                    static_cast<unsigned>(images.count()));
  resizeKernel<<<blocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
      images.pixels.const_data_ptr<std::uint8_t>(),
      reinterpret_cast<const ImageRow*>(images.rows.const_data_ptr<std::int64_t>()),
      ChannelValues{kImageMean[0], kImageMean[1], kImageMean[2]},
      ChannelValues{kImageStd[0], kImageStd[1], kImageStd[2]}, static_cast<int>(padded.width),
      out.data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

}  // namespace lockstep::ops
