#include "engine/config/resized_size.h"

#include <algorithm>
#include <cmath>

namespace lockstep::config {

base::ImageSize resizedSize(const base::ImageSize& original, int minSizePx, int maxSizePx) {
  const auto shorter = static_cast<double>(std::min(original.height, original.width));
  const auto longer = static_cast<double>(std::max(original.height, original.width));
  const double scale = std::min(minSizePx / shorter, maxSizePx / longer);
  const auto scaled = [scale](std::int64_t side) {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::floor(static_cast<double>(side) * scale)));
  };
  return {scaled(original.height), scaled(original.width)};
}

}  // namespace lockstep::config
