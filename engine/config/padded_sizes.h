#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/config/experiment.h"
#include "engine/config/pyramid.h"

namespace lockstep::config {

/// The next multiple of kSizeDivisor that holds a side, px.
inline std::int64_t paddedSide(std::int64_t side) {
  return (side + kSizeDivisor - 1) / kSizeDivisor * kSizeDivisor;
}
inline base::ImageSize paddedSize(const base::ImageSize& size) {
  return {paddedSide(size.height), paddedSide(size.width)};
}

/// What training batches are padded to with `augment.pad_to: canonical`, smallest area first. For
/// every scale of min_size a wide and a tall size: its short side, and a long one that is to it as
/// max_size is to the largest scale; and one square of max_size, for what is longer and for batches
/// of wide and tall images. All rounded up to multiples of kSizeDivisor; so at most two for each
/// scale and one more.
std::vector<base::ImageSize> canonicalSizes(const AugmentConfig& augment);

/// The smallest of them that holds an image after resizing. Throws std::out_of_range for a side
/// above max_size.
base::ImageSize canonicalSize(const AugmentConfig& augment, const base::ImageSize& resized);

}  // namespace lockstep::config
