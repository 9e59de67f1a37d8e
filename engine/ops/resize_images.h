#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/ops/image_row.h"
#include "engine/ops/instances.h"
#include "engine/ops/tensor_block.h"

/// From the pixels of files to what the model sees, with torchvision's semantics
/// (GeneralizedRCNNTransform): to [0,1], normalised, resized bilinear without antialias in float32
/// with the arithmetic of ATen's interpolate (align_corners false, scale = in / out in float32),
/// zeros right of an image and below it. Letters: N images, H W padded size in px, B bytes.
namespace lockstep::ops {

/// Pictures as decoded, in one block.
struct PackedImages {
  at::Tensor pixels;  ///< [B] uint8: RGB, row by row without gaps, one picture after another
  at::Tensor rows;    ///< [N,7] int64: an ImageRow each

  std::int64_t count() const { return rows.size(0); }
  /// In one copy; as blockTo.
  PackedImages to(const at::Device& device) const;
};

/// Room for pictures, to be filled from `firstByte` of their rows on, which this sets. Any thread.
PackedImages makePackedImages(std::vector<ImageRow> images, HostMemory memory);
/// Bytes of picture n on the host, [height,width,3].
std::uint8_t* pixelsOf(const PackedImages& images, std::int64_t n);

/// Images as a model takes them that computes in `type`, beside the pixels. float32: [N,3,H,W],
/// contiguous on a CPU, channels_last on a GPU. bfloat16, float16: [N,4,H,W] channels_last, rounded
/// from float32, the fourth channel 0: a pixel is 8 bytes, as convolutions on a GPU like to read
/// it.
at::Tensor resizeImages(const PackedImages& images, const ImageSize& padded,
                        at::ScalarType type = at::kFloat);

/// Images [N,3,H,W] or [N,4,H,W] -> [N,4,H,W], a fourth channel of zeros where there was none; in
/// the memory format of the images.
at::Tensor withFourChannels(const at::Tensor& images);

/// One picture on the host -> out [3,H,W] of the padded size. Any thread, and no thread of its own.
void resizeImage(const std::uint8_t* pixels, const ImageRow& image, const ImageSize& padded,
                 float* out);

}  // namespace lockstep::ops
