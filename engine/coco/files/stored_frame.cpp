#include "engine/coco/files/stored_frame.h"

#include <algorithm>

#include "engine/coco/masks/mask_geometry.h"
#include "engine/coco/masks/orientation.h"

namespace lockstep::coco {
namespace {

// How an orientation displays the stored image: 2 mirrored, 3 upside down, 4 mirrored upside down,
// 5 transposed, 6 turned right, 7 transposed about the other diagonal, 8 turned left.

constexpr bool isFromRight(int orientation) {
  return orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
}
constexpr bool isFromBelow(int orientation) {
  return orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
}

}  // namespace

StoredFrame StoredFrame::reversed(int exifOrientation, base::ImageSize displayed) {
  constexpr int kRight = 6, kLeft = 8;  // each other's way back; the others are their own
  const int back = exifOrientation == kRight  ? kLeft
                   : exifOrientation == kLeft ? kRight
                                              : exifOrientation;
  return {back, displayed};
}

std::array<double, 2> StoredFrame::point(double x, double y) const {
  if (swapsSides(orientation_)) std::swap(x, y);
  return {isFromRight(orientation_) ? static_cast<double>(stored_.width) - x : x,
          isFromBelow(orientation_) ? static_cast<double>(stored_.height) - y : y};
}

std::array<double, 4> StoredFrame::box(const std::array<double, 4>& xywh) const {
  const auto& [x, y, width, height] = xywh;
  const auto first = point(x, y), second = point(x + width, y + height);
  const bool swaps = swapsSides(orientation_);
  return {std::min(first[0], second[0]), std::min(first[1], second[1]), swaps ? height : width,
          swaps ? width : height};
}

std::array<double, 2> StoredFrame::pixel(double x, double y) const {
  const auto centre = point(x + 0.5, y + 0.5);
  return {centre[0] - 0.5, centre[1] - 0.5};
}

Segmentation StoredFrame::segmentation(const Segmentation& displayed) const {
  if (const Rle* rle = std::get_if<Rle>(&displayed)) return mask(*rle);
  std::vector<std::vector<double>> polygons = std::get<0>(displayed);
  for (std::vector<double>& xy : polygons) {
    for (std::size_t i = 0; i + 1 < xy.size(); i += 2) {
      const auto turned = point(xy[i], xy[i + 1]);
      xy[i] = turned[0];
      xy[i + 1] = turned[1];
    }
  }
  return polygons;
}

Rle StoredFrame::mask(const Rle& displayed) const {
  MaskCrop pixels = crop(displayed);
  bool fromRight = isFromRight(orientation_), fromBelow = isFromBelow(orientation_);
  if (swapsSides(orientation_)) {
    // A quarter turn to the right transposes and mirrors.
    pixels = turned(std::move(pixels), {.height = displayed.height, .width = displayed.width}, 1);
    fromRight = !fromRight;
  }
  return placed(flipped(std::move(pixels), stored_, fromRight, fromBelow), stored_);
}

}  // namespace lockstep::coco
