#pragma once

#include <optional>

#include "engine/base/image_size.h"

namespace lockstep::coco {

/// True for the orientations that rotate by 90 degrees.
constexpr bool swapsSides(int exifOrientation) { return exifOrientation >= 5; }

/// The rule for EXIF orientation, shared by all image decoders. COCO annotations usually refer to
/// the pixels as stored, so EXIF orientation is applied to an annotated image only if that makes
/// its size the annotated one. It is always applied to an image without annotations, as in image
/// viewers. stored: size without EXIF orientation; exifSwapsSides: orientation 5 … 8, which rotates
/// by 90 degrees.
constexpr bool shouldApplyExif(base::ImageSize stored, bool exifSwapsSides,
                               const std::optional<base::ImageSize>& annotated) {
  if (!annotated) return true;
  const base::ImageSize turned{.height = stored.width, .width = stored.height};
  return exifSwapsSides && stored != *annotated && turned == *annotated;
}

}  // namespace lockstep::coco
