#pragma once

#include <cstdint>
#include <vector>

#include "engine/config/experiment.h"

namespace lockstep::config {

/// px that images of a batch are padded to.
struct PaddedSize {
  int height = 0, width = 0;
  bool operator==(const PaddedSize&) const = default;
};

/// What sides of padded images are multiples of, px: the stride of the pyramid's fourth level.
inline constexpr int kSizeDivisor = 32;
/// The next of these multiples that holds a side, px.
inline std::int64_t paddedSide(std::int64_t side) {
  return (side + kSizeDivisor - 1) / kSizeDivisor * kSizeDivisor;
}

/// What training batches are padded to with `augment.pad_to: canonical`, smallest area first. For
/// every scale of min_size a wide and a tall size: its short side, and a long one that is to it as
/// max_size is to the largest scale; and one square of max_size, for what is longer and for batches
/// of wide and tall images. All rounded up to multiples of kSizeDivisor; so at most two for each
/// scale and one more.
std::vector<PaddedSize> canonicalSizes(const AugmentConfig& augment);

/// The smallest of them that holds height and width, px after resizing. Throws std::out_of_range
/// for a side above max_size.
PaddedSize canonicalSize(const AugmentConfig& augment, int height, int width);

}  // namespace lockstep::config
