#pragma once

namespace lockstep::coco {

/// The one rule for EXIF orientation, for whatever decodes images. COCO boxes are of the file as
/// stored, so a file is turned only where that makes its size the annotation's. stored: size
/// without turning; exifSwapsSides: the orientation tag turns by a quarter (5 … 8).
constexpr bool shouldApplyExif(int storedWidth, int storedHeight, bool exifSwapsSides,
                               int annotationWidth, int annotationHeight) {
  const bool fitsAsStored = storedWidth == annotationWidth && storedHeight == annotationHeight;
  const bool fitsTurned = storedHeight == annotationWidth && storedWidth == annotationHeight;
  return exifSwapsSides && !fitsAsStored && fitsTurned;
}

}  // namespace lockstep::coco
