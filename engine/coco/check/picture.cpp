#include "engine/coco/check/picture.h"

#include <algorithm>
#include <vector>

namespace lockstep::coco {
namespace {

constexpr auto kSide = static_cast<std::size_t>(kThumbnailSide);

/// Calls take(pixel, weight) for those that cell `index` of kThumbnailSide along a side covers, of
/// which parts may belong to its neighbours. The weights sum to 1.
template <typename Take>
void forCovered(std::size_t index, int side, Take take) {
  const double size = static_cast<double>(side) / kThumbnailSide;
  const double begin = static_cast<double>(index) * size, end = begin + size;
  for (int i = static_cast<int>(begin); i < side && i < end; ++i) {
    const double part = std::min(end, i + 1.0) - std::max(begin, static_cast<double>(i));
    if (part > 1e-9) take(static_cast<std::size_t>(i), static_cast<float>(part / size));
  }
}

/// The means of the cells, rows first: then most of the work is along rows in memory.
template <typename Value>
std::vector<float> meansOf(const GreyPixels<Value>& pixels) {
  const auto width = static_cast<std::size_t>(pixels.width);
  std::vector<float> means(kSide * kSide), row(width);
  for (std::size_t y = 0; y < kSide; ++y) {
    std::ranges::fill(row, 0.0F);
    forCovered(y, pixels.height, [&](std::size_t i, float weight) {
      const Value* from = pixels.values + static_cast<std::ptrdiff_t>(i) * pixels.rowStride;
      for (std::size_t x = 0; x < width; ++x) row[x] += weight * static_cast<float>(from[x]);
    });
    for (std::size_t x = 0; x < kSide; ++x) {
      float& mean = means[y * kSide + x];
      forCovered(x, pixels.width, [&](std::size_t i, float weight) { mean += weight * row[i]; });
    }
  }
  return means;
}

Thumbnail rounded(const std::vector<float>& means, float scale) {
  Thumbnail thumbnail;
  for (std::size_t i = 0; i < thumbnail.size(); ++i)
    thumbnail[i] = static_cast<std::uint8_t>(std::clamp(means[i] * scale + 0.5F, 0.0F, 255.0F));
  return thumbnail;
}

}  // namespace

Thumbnail thumbnailOf(const GreyPixels<std::uint8_t>& pixels) {
  return rounded(meansOf(pixels), 1);
}

Thumbnail thumbnailOf(const GreyPixels<std::uint16_t>& pixels) {
  const std::vector<float> means = meansOf(pixels);
  const float most = *std::ranges::max_element(means);
  return rounded(means, most > 0 ? 255 / most : 1);
}

}  // namespace lockstep::coco
