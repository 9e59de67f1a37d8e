#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdint>

#include "engine/ops/cuda_launch.h"
#include "engine/ops/resize_images_cuda.h"
#include "engine/ops/resize_images_kernels.cuh"

namespace lockstep::ops {
at::Tensor resizeImagesCuda(const PackedImages& images, const ImageSize& padded) {
  const c10::cuda::CUDAGuard guard(images.pixels.device());
  at::Tensor out =
      at::empty({images.count(), kImageChannels, padded.height, padded.width},
                images.pixels.options().dtype(at::kFloat), at::MemoryFormat::ChannelsLast);
  if (out.numel() == 0) return out;
  launch(resizeKernel, resizeLaunch(images.count(), padded.height, padded.width),
         images.pixels.const_data_ptr<std::uint8_t>(),
         reinterpret_cast<const ImageRow*>(images.rows.const_data_ptr<std::int64_t>()),
         ChannelValues{kImageMean[0], kImageMean[1], kImageMean[2]},
         ChannelValues{kImageStd[0], kImageStd[1], kImageStd[2]}, static_cast<int>(padded.width),
         out.data_ptr<float>());
  return out;
}

}  // namespace lockstep::ops
