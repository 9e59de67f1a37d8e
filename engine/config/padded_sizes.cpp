#include "engine/config/padded_sizes.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace lockstep::config {
namespace {

bool isSmaller(const base::ImageSize& a, const base::ImageSize& b) {
  const auto key = [](const base::ImageSize& size) {
    return std::pair(size.height * size.width, size.height);
  };
  return key(a) < key(b);
}

}  // namespace

std::vector<base::ImageSize> canonicalSizes(const AugmentConfig& augment) {
  const int longest = augment.maxSize;
  const int largest = std::min(std::ranges::max(augment.minSize), longest);
  std::vector<base::ImageSize> sizes{paddedSize({longest, longest})};
  for (const int scale : augment.minSize) {
    const int reached = std::min(scale, longest);
    const base::ImageSize wide = paddedSize({reached, std::int64_t{longest} * reached / largest});
    sizes.push_back(wide);
    sizes.push_back({wide.width, wide.height});
  }
  std::ranges::sort(sizes, isSmaller);
  const auto duplicates = std::ranges::unique(sizes);
  sizes.erase(duplicates.begin(), duplicates.end());
  return sizes;
}

base::ImageSize canonicalSize(const AugmentConfig& augment, const base::ImageSize& resized) {
  const std::vector<base::ImageSize> sizes = canonicalSizes(augment);
  const auto fitting = std::ranges::find_if(sizes, [&](const base::ImageSize& size) {
    return size.height >= resized.height && size.width >= resized.width;
  });
  if (fitting == sizes.end()) {
    throw std::out_of_range("no canonical size fits " + std::to_string(resized.height) + " x " +
                            std::to_string(resized.width) + " px");
  }
  return *fitting;
}

}  // namespace lockstep::config
