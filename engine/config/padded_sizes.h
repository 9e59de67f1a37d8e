#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/config/experiment.h"
#include "engine/config/pyramid.h"

namespace lockstep::config {

/// Rounds a side up to a multiple of kSizeDivisor, px.
inline std::int64_t paddedSide(std::int64_t side) {
  return (side + kSizeDivisor - 1) / kSizeDivisor * kSizeDivisor;
}
inline base::ImageSize paddedSize(const base::ImageSize& size) {
  return {paddedSide(size.height), paddedSide(size.width)};
}

/// Padded sizes of training batches with `augment.pad_to: canonical`, smallest area first. Each
/// min_size gives a landscape and a portrait size; their aspect ratio is that of max_size to the
/// largest min_size. One square of max_size is for longer images and for batches of mixed
/// orientation. All sides are rounded up to multiples of kSizeDivisor.
std::vector<base::ImageSize> canonicalSizes(const AugmentConfig& augment);

/// The smallest canonical size that fits an image after resizing. Throws std::out_of_range for a
/// side above max_size.
base::ImageSize canonicalSize(const AugmentConfig& augment, const base::ImageSize& resized);

}  // namespace lockstep::config
