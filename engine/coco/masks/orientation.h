#pragma once

#include <optional>

namespace lockstep::coco {

/// px
struct PictureSize {
  int width = 0, height = 0;
  bool operator==(const PictureSize&) const = default;
};

/// The one rule for EXIF orientation, for whatever decodes images. COCO boxes are of the file as
/// stored, so an annotated image is turned only where that makes its size the annotation's. One
/// without annotations is turned (and mirrored) as its tag says, as every viewer shows it. stored:
/// size without turning; exifSwapsSides: the orientation tag turns by a quarter (5 … 8).
constexpr bool shouldApplyExif(PictureSize stored, bool exifSwapsSides,
                               const std::optional<PictureSize>& annotated) {
  if (!annotated) return true;
  const PictureSize turned{stored.height, stored.width};
  return exifSwapsSides && stored != *annotated && turned == *annotated;
}

}  // namespace lockstep::coco
