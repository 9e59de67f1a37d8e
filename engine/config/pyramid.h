#pragma once

#include <array>
#include <cstddef>

namespace lockstep::config {

/// Strides of the FPN levels in px of the image, finest first. Each backbone stage gives one level;
/// the RPN has one more, the coarsest.
inline constexpr std::array<int, 5> kPyramidStrides{4, 8, 16, 32, 64};
inline constexpr std::size_t kPyramidLevels = kPyramidStrides.size();
inline constexpr std::size_t kBackboneStages = kPyramidLevels - 1;

/// Sides of padded images are multiples of this, px: the stride of the coarsest backbone stage.
inline constexpr int kSizeDivisor = kPyramidStrides[kBackboneStages - 1];

}  // namespace lockstep::config
