#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/image_size.h"

namespace lockstep::data {

/// A decoded image: 8-bit RGB, row-major without padding.
struct RgbImage {
  static constexpr std::size_t kChannels = 3;

  int width = 0, height = 0;               ///< px
  std::unique_ptr<std::uint8_t[]> pixels;  ///< [height, width, 3]
  int highestOf16Bits = 0;                 ///< largest value of a 16-bit file; 0: 8-bit file
  bool missingEndMarker = false;           ///< the file lacks only its end marker

  RgbImage() = default;
  /// Pixels are not initialised.
  RgbImage(int widthPx, int heightPx);
  base::ImageSize size() const { return {height, width}; }
  /// Number of values, which are bytes.
  std::size_t valueCount() const {
    return kChannels * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  std::uint8_t* pixelAt(int x, int y) const {
    return pixels.get() +
           kChannels * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                        static_cast<std::size_t>(x));
  }
};

RgbImage copyOf(const RgbImage& image);

}  // namespace lockstep::data
