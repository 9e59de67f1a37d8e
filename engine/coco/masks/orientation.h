#pragma once

#include <optional>

namespace lockstep::coco {

/// px
struct PictureSize {
  int width = 0, height = 0;
  bool operator==(const PictureSize&) const = default;
};

/// The rule for EXIF orientation, shared by all image decoders. COCO annotations usually refer to
/// the pixels as stored, so EXIF orientation is applied to an annotated image only if that makes
/// its size the annotated one. It is always applied to an image without annotations, as in image
/// viewers. stored: size without EXIF orientation; exifSwapsSides: orientation 5 … 8, which rotates
/// by 90 degrees.
constexpr bool shouldApplyExif(PictureSize stored, bool exifSwapsSides,
                               const std::optional<PictureSize>& annotated) {
  if (!annotated) return true;
  const PictureSize turned{stored.height, stored.width};
  return exifSwapsSides && stored != *annotated && turned == *annotated;
}

}  // namespace lockstep::coco
