#include "engine/coco/masks/mask_geometry.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

std::size_t indexOf(const MaskCrop& crop, int x, int y) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(crop.width) +
         static_cast<std::size_t>(x);
}

MaskCrop quarterTurned(const MaskCrop& crop, std::int64_t imageHeight) {
  MaskCrop turned{static_cast<int>(imageHeight) - crop.y - crop.height, crop.x, crop.height,
                  crop.width, std::vector<std::uint8_t>(crop.pixels.size())};
  for (int y = 0; y < crop.height; ++y) {
    for (int x = 0; x < crop.width; ++x)
      turned.pixels[indexOf(turned, crop.height - 1 - y, x)] = crop.pixels[indexOf(crop, x, y)];
  }
  return turned;
}

/// Pixels of the resized side whose nearest ones are in [begin, end), within [first, last).
std::pair<int, int> resizedRange(std::array<int, 2> source, std::int64_t from, std::int64_t to,
                                 std::array<int, 2> limits) {
  int begin = limits[0], end = limits[1];
  while (begin < end && nearestPixel(begin, from, to) < source[0]) ++begin;
  while (end > begin && nearestPixel(end - 1, from, to) >= source[1]) --end;
  return {begin, end};
}

}  // namespace

std::array<double, 4> clippedBox(const std::array<double, 4>& xywh, const base::ImageSize& image) {
  const auto width = static_cast<double>(image.width), height = static_cast<double>(image.height);
  const auto [x, y, boxWidth, boxHeight] = xywh;
  if (x >= 0 && y >= 0 && x + boxWidth <= width && y + boxHeight <= height) return xywh;
  const double left = std::clamp(x, 0.0, width), top = std::clamp(y, 0.0, height);
  return {left, top, std::clamp(x + boxWidth, 0.0, width) - left,
          std::clamp(y + boxHeight, 0.0, height) - top};
}

Rle placed(const MaskCrop& crop, const base::ImageSize& image) {
  RunWriter writer(static_cast<int>(image.height), static_cast<int>(image.width));
  const int top = std::max(0, -crop.y);
  const int bottom = std::min(crop.height, static_cast<int>(image.height) - crop.y);
  const int left = std::max(0, -crop.x);
  const int right = std::min(crop.width, static_cast<int>(image.width) - crop.x);
  if (top >= bottom || left >= right) return writer.finish();
  bool inside = false;
  std::uint64_t end = 0;  // of the last column's pixels
  for (int x = left; x < right; ++x) {
    const auto column =
        static_cast<std::uint64_t>(crop.x + x) * static_cast<std::uint64_t>(image.height);
    const auto positionOf = [&](int y) { return column + static_cast<std::uint64_t>(crop.y + y); };
    if (inside && end != positionOf(top)) {
      writer.flipAt(end);
      inside = false;
    }
    for (int y = top; y < bottom; ++y) {
      if ((crop.pixels[indexOf(crop, x, y)] != 0) == inside) continue;
      writer.flipAt(positionOf(y));
      inside = !inside;
    }
    end = positionOf(bottom);
  }
  if (inside) writer.flipAt(end);
  return writer.finish();
}

MaskCrop turned(MaskCrop crop, const base::ImageSize& image, int quarterTurns) {
  for (int turn = 0; turn < quarterTurns; ++turn)
    crop = quarterTurned(crop, turn % 2 == 0 ? image.height : image.width);
  return crop;
}

MaskCrop flipped(MaskCrop crop, const base::ImageSize& image, bool horizontally, bool vertically) {
  if (horizontally) {
    crop.x = static_cast<int>(image.width) - crop.x - crop.width;
    for (int y = 0; y < crop.height; ++y) {
      const auto row = crop.pixels.begin() + static_cast<std::ptrdiff_t>(indexOf(crop, 0, y));
      std::reverse(row, row + crop.width);
    }
  }
  if (vertically) {
    crop.y = static_cast<int>(image.height) - crop.y - crop.height;
    for (int y = 0; y < crop.height / 2; ++y) {
      const auto row = crop.pixels.begin() + static_cast<std::ptrdiff_t>(indexOf(crop, 0, y));
      std::swap_ranges(
          row, row + crop.width,
          crop.pixels.begin() + static_cast<std::ptrdiff_t>(indexOf(crop, 0, crop.height - 1 - y)));
    }
  }
  return crop;
}

MaskCrop resized(const MaskCrop& crop, const base::ImageSize& from, const base::ImageSize& to,
                 const PixelWindow& visible) {
  const auto [left, right] = resizedRange({crop.x, crop.x + crop.width}, from.width, to.width,
                                          {visible.x, visible.x + visible.width});
  const auto [top, bottom] = resizedRange({crop.y, crop.y + crop.height}, from.height, to.height,
                                          {visible.y, visible.y + visible.height});
  MaskCrop result{left, top, right - left, bottom - top, {}};
  result.pixels.reserve(static_cast<std::size_t>(result.width) *
                        static_cast<std::size_t>(result.height));
  for (int y = top; y < bottom; ++y) {
    const int sourceY = nearestPixel(y, from.height, to.height) - crop.y;
    for (int x = left; x < right; ++x) {
      const int sourceX = nearestPixel(x, from.width, to.width) - crop.x;
      result.pixels.push_back(crop.pixels[indexOf(crop, sourceX, sourceY)]);
    }
  }
  return result;
}

int nearestPixel(int pixel, std::int64_t from, std::int64_t to) {
  return static_cast<int>((2 * std::int64_t{pixel} + 1) * from / (2 * to));
}

}  // namespace lockstep::coco
