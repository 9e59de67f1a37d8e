#pragma once

#include <array>
#include <cstdint>

#include "engine/data/image_file.h"

/// Pixels of a grey image that is drawn on.
namespace lockstep::tests {

inline constexpr std::uint8_t kGrey = 100;
using Pixel = std::array<std::uint8_t, 3>;
inline constexpr Pixel kUntouched{kGrey, kGrey, kGrey};
inline constexpr Pixel kTinted{60, 106, 131};  ///< 0.6 of the grey, 0.4 of the blue

inline Pixel pixelAt(const data::RgbImage& image, int x, int y) {
  const std::uint8_t* at = image.pixels.get() + 3 * (std::size_t(y) * image.width + x);
  return {at[0], at[1], at[2]};
}

}  // namespace lockstep::tests
