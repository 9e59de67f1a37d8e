#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/structures/image_row.h"
#include "engine/structures/tensor_block.h"

/// Letters: N images, B bytes.
namespace lockstep::structures {

/// Decoded images in one block.
struct PackedImages {
  at::Tensor pixels;  ///< [B] uint8: RGB, row-major, images concatenated
  at::Tensor rows;    ///< [N,7] int64: ImageRows

  std::int64_t count() const { return rows.size(0); }
  /// Copies them to a device in one transfer, see blockTo.
  PackedImages to(const at::Device& device) const;
};

/// Allocates uninitialised memory for images and sets `firstByte` of their rows. Any thread.
PackedImages makePackedImages(std::vector<ImageRow> images, HostMemory memory);
/// Pixels of image n on the host, [height,width,3].
std::uint8_t* pixelsOf(const PackedImages& images, std::int64_t n);

}  // namespace lockstep::structures
