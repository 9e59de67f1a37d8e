#pragma once

#include "engine/base/image_size.h"

namespace lockstep::config {

/// Size of an image after resizing, as in torchvision's GeneralizedRCNNTransform: both sides times
/// min(minSizePx / shorter side, maxSizePx / longer side), rounded down, at least 1.
base::ImageSize resizedSize(const base::ImageSize& original, int minSizePx, int maxSizePx);

}  // namespace lockstep::config
