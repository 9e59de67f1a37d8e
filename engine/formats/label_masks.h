#pragma once

#include <cstdint>
#include <vector>

#include "engine/coco/masks/rle.h"
#include "engine/formats/source.h"

namespace lockstep::formats {

struct LabelMask {
  std::uint32_t id = 0;
  coco::Rle mask;
};

/// The mask of every id but 0, by id. Time and memory do not depend on the number of ids.
std::vector<LabelMask> masksOf(const LabelImage& labels);

}  // namespace lockstep::formats
