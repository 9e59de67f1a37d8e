#pragma once

#include <array>

namespace lockstep::data {

/// Of ImageNet's RGB in [0,1], as torchvision's models expect it.
inline constexpr std::array<float, 3> kImageMean{0.485f, 0.456f, 0.406f};
inline constexpr std::array<float, 3> kImageStd{0.229f, 0.224f, 0.225f};

}  // namespace lockstep::data
