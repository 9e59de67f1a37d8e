#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/structures/image_row.h"
#include "engine/structures/tensor_block.h"

/// Letters: N images, B bytes.
namespace lockstep::structures {

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

}  // namespace lockstep::structures
