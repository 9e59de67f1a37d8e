#pragma once

#include <array>
#include <cstdint>

namespace lockstep::structures {

/// RGB; and padded with a channel of zeros, which convolutions on a GPU read faster.
inline constexpr int kImageChannels = 3, kPaddedChannels = 4;

/// ImageNet's mean and standard deviation of RGB in [0,1], as in torchvision.
inline constexpr std::array<float, kImageChannels> kImageMean{0.485f, 0.456f, 0.406f};
inline constexpr std::array<float, kImageChannels> kImageStd{0.229f, 0.224f, 0.225f};

/// Location and resize parameters of a decoded image. A row of PackedImages::rows.
struct ImageRow {
  std::int64_t firstByte = 0;                               ///< in PackedImages::pixels
  std::int64_t height = 0, width = 0;                       ///< px
  std::int64_t resizedHeight = 0, resizedWidth = 0;         ///< px
  std::int64_t flipsHorizontally = 0, flipsVertically = 0;  ///< 0 or 1
};
inline constexpr std::int64_t kImageRowFields = sizeof(ImageRow) / sizeof(std::int64_t);

}  // namespace lockstep::structures
