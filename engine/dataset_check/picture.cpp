#include "engine/dataset_check/picture.h"

#include <algorithm>
#include <vector>

namespace lockstep::dataset_check {
namespace {

constexpr auto kSide = static_cast<std::size_t>(kThumbnailSide);

/// Part of a side, px.
struct Span {
  double begin = 0, end = 0;
};

std::vector<Span> thumbnailSpans(int side) {
  std::vector<Span> spans(kSide);
  const double size = static_cast<double>(side) / kThumbnailSide;
  for (std::size_t i = 0; i < kSide; ++i)
    spans[i] = {static_cast<double>(i) * size, static_cast<double>(i + 1) * size};
  return spans;
}

/// Of a side that is scaled to `scaled` px.
std::vector<Span> blockSpans(int side, std::int64_t scaled) {
  const double scale = static_cast<double>(side) / static_cast<double>(scaled);
  std::vector<Span> spans;
  for (std::int64_t at = 0; at < scaled; at += kBlockSidePx) {
    const std::int64_t begin = std::max<std::int64_t>(0, std::min(at, scaled - kBlockSidePx)),
                       end = std::min(begin + kBlockSidePx, scaled);
    spans.push_back({static_cast<double>(begin) * scale, static_cast<double>(end) * scale});
  }
  return spans;
}

/// Calls take(pixel, weight) for those that a part of a side covers, of which some may be covered
/// in part. The weights sum to 1.
template <typename Take>
void forCovered(const Span& span, int side, Take take) {
  for (int i = static_cast<int>(span.begin); i < side && i < span.end; ++i) {
    const double part = std::min(span.end, i + 1.0) - std::max(span.begin, static_cast<double>(i));
    if (part > 1e-9)
      take(static_cast<std::size_t>(i), static_cast<float>(part / (span.end - span.begin)));
  }
}

/// The means of cells, rows first: then most of the work is along rows in memory.
template <typename Value>
std::vector<float> meansOf(const GreyPixels<Value>& pixels, const std::vector<Span>& rows,
                           const std::vector<Span>& columns) {
  const auto width = static_cast<std::size_t>(pixels.width);
  std::vector<float> means(rows.size() * columns.size()), row(width);
  for (std::size_t y = 0; y < rows.size(); ++y) {
    std::ranges::fill(row, 0.0F);
    forCovered(rows[y], pixels.height, [&](std::size_t i, float weight) {
      const Value* from = pixels.values + static_cast<std::ptrdiff_t>(i) * pixels.rowStride;
      for (std::size_t x = 0; x < width; ++x) row[x] += weight * static_cast<float>(from[x]);
    });
    for (std::size_t x = 0; x < columns.size(); ++x) {
      float& mean = means[y * columns.size() + x];
      forCovered(columns[x], pixels.width,
                 [&](std::size_t i, float weight) { mean += weight * row[i]; });
    }
  }
  return means;
}

template <typename Value>
std::vector<float> thumbnailMeans(const GreyPixels<Value>& pixels) {
  return meansOf(pixels, thumbnailSpans(pixels.height), thumbnailSpans(pixels.width));
}

template <typename Value>
std::vector<float> blockMeans(const GreyPixels<Value>& pixels, base::ImageSize size) {
  return meansOf(pixels, blockSpans(pixels.height, size.height),
                 blockSpans(pixels.width, size.width));
}

/// What makes the brightest of the thumbnail's means 255.
float brightening(const std::vector<float>& means) {
  const float most = *std::ranges::max_element(means);
  return most > 0 ? 255 / most : 1;
}

std::uint8_t rounded(float value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
}

Thumbnail thumbnailOf(const std::vector<float>& means, float scale) {
  Thumbnail thumbnail;
  for (std::size_t i = 0; i < thumbnail.size(); ++i) thumbnail[i] = rounded(means[i] * scale);
  return thumbnail;
}

std::vector<std::uint8_t> blocksOf(const std::vector<float>& means, float scale) {
  std::vector<std::uint8_t> blocks;
  blocks.reserve(means.size());
  for (const float mean : means) blocks.push_back(rounded(mean * scale));
  return blocks;
}

}  // namespace

Thumbnail thumbnailOf(const GreyPixels<std::uint8_t>& pixels) {
  return thumbnailOf(thumbnailMeans(pixels), 1);
}

Thumbnail thumbnailOf(const GreyPixels<std::uint16_t>& pixels) {
  const std::vector<float> means = thumbnailMeans(pixels);
  return thumbnailOf(means, brightening(means));
}

std::vector<std::uint8_t> blockMeansOf(const GreyPixels<std::uint8_t>& pixels,
                                       base::ImageSize size) {
  return blocksOf(blockMeans(pixels, size), 1);
}

std::vector<std::uint8_t> blockMeansOf(const GreyPixels<std::uint16_t>& pixels,
                                       base::ImageSize size) {
  return blocksOf(blockMeans(pixels, size), brightening(thumbnailMeans(pixels)));
}

}  // namespace lockstep::dataset_check
