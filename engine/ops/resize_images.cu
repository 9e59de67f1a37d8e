#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdint>

#include "engine/ops/cuda_launch.h"
#include "engine/ops/resize_images_cuda.h"
#include "engine/ops/resize_images_kernels.cuh"

namespace lockstep::ops {
namespace {

template <typename T, int kStored>
void launchResize(const PackedImages& images, const ImageSize& padded, at::Tensor& out) {
  launch(resizeKernel<T, kStored>, resizeLaunch(images.count(), padded.height, padded.width),
         images.pixels.const_data_ptr<std::uint8_t>(),
         reinterpret_cast<const ImageRow*>(images.rows.const_data_ptr<std::int64_t>()),
         ChannelValues{kImageMean[0], kImageMean[1], kImageMean[2]},
         ChannelValues{kImageStd[0], kImageStd[1], kImageStd[2]}, static_cast<int>(padded.width),
         out.data_ptr<T>());
}

}  // namespace

at::Tensor resizeImagesCuda(const PackedImages& images, const ImageSize& padded,
                            at::ScalarType type) {
  const c10::cuda::CUDAGuard guard(images.pixels.device());
  const bool isWide = type == at::kFloat;
  at::Tensor out = at::empty(
      {images.count(), isWide ? kImageChannels : kPaddedChannels, padded.height, padded.width},
      images.pixels.options().dtype(type), at::MemoryFormat::ChannelsLast);
  if (out.numel() == 0) return out;
  if (isWide) {
    launchResize<float, kImageChannels>(images, padded, out);
  } else {
    AT_DISPATCH_REDUCED_FLOATING_TYPES(type, "resize_images", [&] {
      launchResize<scalar_t, kPaddedChannels>(images, padded, out);
    });
  }
  return out;
}

}  // namespace lockstep::ops
