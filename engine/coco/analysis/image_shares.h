#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/base/parallel_for.h"

namespace lockstep::coco {

/// Calls take(share, image) for every image, a share of them on one thread, in order within the
/// share, and returns the shares in order.
template <typename Share, typename Take>
std::vector<Share> forImageShares(std::size_t imageCount, int threads, Take take) {
  constexpr std::size_t kImages = 256;  // enough to be worth a share's own memory
  std::vector<Share> shares((imageCount + kImages - 1) / kImages);
  base::parallelFor(shares.size(), threads, [&](std::size_t s) {
    const std::size_t end = std::min((s + 1) * kImages, imageCount);
    for (std::size_t i = s * kImages; i < end; ++i) take(shares[s], i);
  });
  return shares;
}

}  // namespace lockstep::coco
