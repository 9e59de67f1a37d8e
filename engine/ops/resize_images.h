#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/structures/packed_images.h"

/// From decoded pixels to model input, with the semantics of torchvision's
/// GeneralizedRCNNTransform: scaled to [0,1], normalised, resized bilinearly without antialias in
/// float32 with the arithmetic of ATen's interpolate (align_corners false, scale = in / out in
/// float32), zero-padded at the right and bottom. Letters: N images, H W padded size in px.
namespace lockstep::ops {

/// Images for a model that computes in `type`, on the device of the pixels. float32: [N,3,H,W],
/// contiguous on a CPU, channels_last on a GPU. bfloat16, float16: [N,4,H,W] channels_last, rounded
/// from float32, the fourth channel 0: a pixel takes 8 bytes, which convolutions on a GPU read
/// faster.
at::Tensor resizeImages(const structures::PackedImages& images, const base::ImageSize& padded,
                        at::ScalarType type = at::kFloat);

/// Images [N,3,H,W] or [N,4,H,W] -> [N,4,H,W]: adds a fourth channel of zeros if there is none;
/// keeps the memory format.
at::Tensor withFourChannels(const at::Tensor& images);

/// One image on the host -> out [3,H,W] of the padded size. Any thread; single-threaded.
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
