#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/structures/packed_images.h"

/// From the pixels of files to what the model sees, with torchvision's semantics
/// (GeneralizedRCNNTransform): to [0,1], normalised, resized bilinear without antialias in float32
/// with the arithmetic of ATen's interpolate (align_corners false, scale = in / out in float32),
/// zeros right of an image and below it. Letters: N images, H W padded size in px.
namespace lockstep::ops {

/// Images as a model takes them that computes in `type`, beside the pixels. float32: [N,3,H,W],
/// contiguous on a CPU, channels_last on a GPU. bfloat16, float16: [N,4,H,W] channels_last, rounded
/// from float32, the fourth channel 0: a pixel is 8 bytes, as convolutions on a GPU like to read
/// it.
at::Tensor resizeImages(const structures::PackedImages& images, const base::ImageSize& padded,
                        at::ScalarType type = at::kFloat);

/// Images [N,3,H,W] or [N,4,H,W] -> [N,4,H,W], a fourth channel of zeros where there was none; in
/// the memory format of the images.
at::Tensor withFourChannels(const at::Tensor& images);

/// One picture on the host -> out [3,H,W] of the padded size. Any thread, and no thread of its own.
void resizeImage(const std::uint8_t* pixels, const structures::ImageRow& image,
                 const base::ImageSize& padded, float* out);

/// Kernels.
using ResizeImagesKernel = at::Tensor(const structures::PackedImages& images,
                                      const base::ImageSize& padded, at::ScalarType type);
namespace cpu {
ResizeImagesKernel resizeImages;
}
namespace cuda {
ResizeImagesKernel resizeImages;
}

}  // namespace lockstep::ops
