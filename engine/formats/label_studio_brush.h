#pragma once

#include <cstdint>
#include <vector>

#include "engine/coco/masks/rle.h"

namespace lockstep::formats {

/// A mask as Label Studio's brushes have it, the runs that its import reads: RGBA pixels, row by
/// row, 0 or 255 in each channel. The list of bytes of a result's `rle`.
std::vector<std::uint8_t> labelStudioBrush(const coco::Rle& mask);

}  // namespace lockstep::formats
