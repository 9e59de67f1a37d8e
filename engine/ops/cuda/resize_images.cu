#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdint>

#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/cuda/resize_images.cuh"
#include "engine/ops/resize_images.h"

namespace lockstep::ops {
namespace {

template <typename T, int kStored>
void launchResize(const structures::PackedImages& images, const base::ImageSize& padded,
                  at::Tensor& out) {
  launch(
      resizeKernel<T, kStored>, resizeLaunch(images.count(), padded.height, padded.width),
      images.pixels.const_data_ptr<std::uint8_t>(),
      reinterpret_cast<const structures::ImageRow*>(images.rows.const_data_ptr<std::int64_t>()),
      ChannelValues{structures::kImageMean[0], structures::kImageMean[1],
                    structures::kImageMean[2]},
      ChannelValues{structures::kImageStd[0], structures::kImageStd[1], structures::kImageStd[2]},
      static_cast<int>(padded.width), out.data_ptr<T>());
}

}  // namespace

at::Tensor cuda::resizeImages(const structures::PackedImages& images, const base::ImageSize& padded,
                              at::ScalarType type) {
  const c10::cuda::CUDAGuard guard(images.pixels.device());
  const bool isWide = type == at::kFloat;
  at::Tensor out =
      at::empty({images.count(), isWide ? structures::kImageChannels : structures::kPaddedChannels,
                 padded.height, padded.width},
                images.pixels.options().dtype(type), at::MemoryFormat::ChannelsLast);
  if (out.numel() == 0) return out;
  if (isWide) {
    launchResize<float, structures::kImageChannels>(images, padded, out);
  } else {
    AT_DISPATCH_REDUCED_FLOATING_TYPES(type, "resize_images", [&] {
      launchResize<scalar_t, structures::kPaddedChannels>(images, padded, out);
    });
  }
  return out;
}

}  // namespace lockstep::ops
