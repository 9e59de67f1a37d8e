#pragma once

#include <array>

#include "engine/base/image_size.h"
#include "engine/coco/masks/rle.h"

/// Masks of turned, cut and resized images, by their crops: the cost follows the object, not the
/// image.
namespace lockstep::coco {

/// A part of an image, px.
struct PixelWindow {
  int x = 0, y = 0, width = 0, height = 0;
  base::ImageSize size() const { return {height, width}; }
  bool operator==(const PixelWindow&) const = default;
};

/// The part of a box x, y, width, height that is in an image; without width or height if none is. A
/// box inside keeps its bits.
std::array<double, 4> clippedBox(const std::array<double, 4>& xywh, const base::ImageSize& image);

/// The mask in an image of this size; pixels outside are lost.
Rle placed(const MaskCrop& crop, const base::ImageSize& image);

/// The crop in an image of size `image` turned clockwise by quarterTurns x 90 degrees.
MaskCrop turned(MaskCrop crop, const base::ImageSize& image, int quarterTurns);

/// The crop in an image of size `image` that is mirrored.
MaskCrop flipped(MaskCrop crop, const base::ImageSize& image, bool horizontally, bool vertically);

/// The crop in the image resized from `from` to `to`, with the nearest pixel by centres, as far as
/// it lies in `visible`, a part of the resized image.
MaskCrop resized(const MaskCrop& crop, const base::ImageSize& from, const base::ImageSize& to,
                 const PixelWindow& visible);

/// The pixel of a side of `from` px that is nearest to a pixel's centre on the side of `to` px.
int nearestPixel(int pixel, std::int64_t from, std::int64_t to);

}  // namespace lockstep::coco
