#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/coco/masks/rle.h"
#include "engine/formats/source.h"

namespace lockstep::formats {

struct LabelMask {
  std::uint32_t id = 0;
  coco::Rle mask;
};

/// Ids besides 0 that a label image can have.
constexpr std::size_t kMaxLabelIds = 65535;

/// The mask of every id but 0, by id. Throws Error for more than 65,535 ids: that is a photo.
std::vector<LabelMask> masksOf(const LabelImage& labels);

/// Gives the pixels of a mask of the image's size an id. Returns whether any had another one.
bool paint(const coco::Rle& mask, std::uint32_t id, LabelImage& image);

/// An image of this size whose pixels have the number of their mask, from 1; of several, that of
/// the first. Masks without a size are left out. Throws Error for one of another size, and for more
/// than 65,535.
LabelImage numberedMasks(const std::vector<const coco::Rle*>& masks, base::ImageSize size);

/// The pixels of a part that are not 0 as a mask of an image of this size, of which the part's
/// first pixel is (x, y). Pixels outside are left out. Time and memory are those of the part.
coco::Rle pastedMask(const LabelImage& part, std::int64_t x, std::int64_t y, base::ImageSize size);

}  // namespace lockstep::formats
