#include "engine/config/padded_sizes.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace lockstep::config {
namespace {

int roundedUp(std::int64_t side) { return static_cast<int>(paddedSide(side)); }

bool isSmaller(const PaddedSize& a, const PaddedSize& b) {
  const auto key = [](const PaddedSize& size) {
    return std::pair(std::int64_t{size.height} * size.width, size.height);
  };
  return key(a) < key(b);
}

}  // namespace

std::vector<PaddedSize> canonicalSizes(const AugmentConfig& augment) {
  const int longest = augment.maxSize;
  const int largest = std::min(std::ranges::max(augment.minSize), longest);
  std::vector<PaddedSize> sizes{{roundedUp(longest), roundedUp(longest)}};
  for (const int scale : augment.minSize) {
    const int reached = std::min(scale, longest);
    const int shortSide = roundedUp(reached);
    const int longSide = roundedUp(std::int64_t{longest} * reached / largest);
    sizes.push_back({shortSide, longSide});
    sizes.push_back({longSide, shortSide});
  }
  std::ranges::sort(sizes, isSmaller);
  const auto doubled = std::ranges::unique(sizes);
  sizes.erase(doubled.begin(), doubled.end());
  return sizes;
}

PaddedSize canonicalSize(const AugmentConfig& augment, int height, int width) {
  const std::vector<PaddedSize> sizes = canonicalSizes(augment);
  const auto held = std::ranges::find_if(
      sizes, [&](const PaddedSize& size) { return size.height >= height && size.width >= width; });
  if (held == sizes.end()) {
    throw std::out_of_range("no canonical size holds " + std::to_string(height) + " x " +
                            std::to_string(width) + " px");
  }
  return *held;
}

}  // namespace lockstep::config
