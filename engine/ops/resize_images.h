#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "engine/ops/instances.h"
#include "engine/ops/tensor_block.h"

/// From the pixels of files to what the model sees, with torchvision's semantics
/// (GeneralizedRCNNTransform): to [0,1], normalised, resized bilinear without antialias in float32
/// with the arithmetic of ATen's interpolate (align_corners false, scale = in / out in float32),
/// zeros right of an image and below it. Letters: N images, H W padded size in px, B bytes.
namespace lockstep::ops {

/// Of ImageNet's RGB in [0,1], as torchvision's models expect it.
inline constexpr std::array<float, 3> kImageMean{0.485f, 0.456f, 0.406f};
inline constexpr std::array<float, 3> kImageStd{0.229f, 0.224f, 0.225f};

/// Where a picture lies and what is made of it. A row of PackedImages::rows.
struct ImageRow {
  std::int64_t firstByte = 0;                               ///< in PackedImages::pixels
  std::int64_t height = 0, width = 0;                       ///< px
  std::int64_t resizedHeight = 0, resizedWidth = 0;         ///< px
  std::int64_t flipsHorizontally = 0, flipsVertically = 0;  ///< 0 or 1
};

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

/// -> [N,3,H,W] float32 beside the pixels: contiguous on a CPU, channels_last on a GPU.
at::Tensor resizeImages(const PackedImages& images, const ImageSize& padded);

/// One picture on the host -> out [3,H,W] of the padded size. Any thread, and no thread of its own.
void resizeImage(const std::uint8_t* pixels, const ImageRow& image, const ImageSize& padded,
                 float* out);

}  // namespace lockstep::ops
