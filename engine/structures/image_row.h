#pragma once

#include <array>
#include <cstdint>

namespace lockstep::structures {

/// RGB; and as convolutions on a GPU like to read a pixel, with a channel of zeros behind.
inline constexpr int kImageChannels = 3, kPaddedChannels = 4;

/// Of ImageNet's RGB in [0,1], as torchvision's models expect it.
inline constexpr std::array<float, kImageChannels> kImageMean{0.485f, 0.456f, 0.406f};
inline constexpr std::array<float, kImageChannels> kImageStd{0.229f, 0.224f, 0.225f};

/// Where a picture lies and what is made of it. A row of PackedImages::rows.
struct ImageRow {
  std::int64_t firstByte = 0;                               ///< in PackedImages::pixels
  std::int64_t height = 0, width = 0;                       ///< px
  std::int64_t resizedHeight = 0, resizedWidth = 0;         ///< px
  std::int64_t flipsHorizontally = 0, flipsVertically = 0;  ///< 0 or 1
};
inline constexpr std::int64_t kImageRowFields = sizeof(ImageRow) / sizeof(std::int64_t);

}  // namespace lockstep::structures
