#pragma once

#include "engine/coco/masks/rle.h"
#include "engine/ops/paste_masks.h"

namespace lockstep::eval {

/// A pasted mask as runs over the whole image, without making the whole image.
coco::Rle toRle(const ops::MaskCrop& crop, const ops::ImageSize& size);

}  // namespace lockstep::eval
