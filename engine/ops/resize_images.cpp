#include "engine/ops/resize_images.h"

#include <ATen/ATen.h>

#include "engine/ops/dispatch.h"

namespace lockstep::ops {
namespace {

constexpr DispatchStub<ResizeImagesKernel> kResizeImagesStub{
    cpu::resizeImages, LOCKSTEP_CUDA_KERNEL(cuda::resizeImages)};

}  // namespace

at::Tensor resizeImages(const structures::PackedImages& images, const base::ImageSize& padded,
                        at::ScalarType type) {
  TORCH_CHECK(images.pixels.dim() == 1 && images.pixels.scalar_type() == at::kByte &&
                  images.rows.dim() == 2 && images.rows.size(1) == structures::kImageRowFields &&
                  images.rows.scalar_type() == at::kLong &&
                  images.rows.device() == images.pixels.device(),
              "images must be bytes and rows [N,", structures::kImageRowFields,
              "] int64 beside them, got ", images.pixels.sizes(), " and ", images.rows.sizes());
  TORCH_CHECK(type == at::kFloat || type == at::kBFloat16 || type == at::kHalf,
              "images are made in float32, bfloat16 or float16, not in ", type);
  TORCH_CHECK(padded.height > 0 && padded.width > 0, "images cannot be padded to ", padded.height,
              " x ", padded.width, " px");
  return kResizeImagesStub(images.pixels.device(), images, padded, type);
}

at::Tensor withFourChannels(const at::Tensor& images) {
  const std::int64_t missing = structures::kPaddedChannels - images.size(1);
  return missing > 0 ? at::constant_pad_nd(images, {0, 0, 0, 0, 0, missing}) : images;
}

}  // namespace lockstep::ops
