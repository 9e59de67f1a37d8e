#include "engine/data/rgb_image.h"

#include <algorithm>

namespace lockstep::data {

RgbImage::RgbImage(int widthPx, int heightPx)
    : width(widthPx),
      height(heightPx),
      pixels(std::make_unique_for_overwrite<std::uint8_t[]>(valueCount())) {}

RgbImage copyOf(const RgbImage& image) {
  RgbImage copy(image.width, image.height);
  std::copy_n(image.pixels.get(), image.valueCount(), copy.pixels.get());
  copy.highestOf16Bits = image.highestOf16Bits;
  copy.missingEndMarker = image.missingEndMarker;
  return copy;
}

}  // namespace lockstep::data
