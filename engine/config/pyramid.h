#pragma once

#include <array>
#include <cstddef>

namespace lockstep::config {

/// px of the image for each px of a feature pyramid's level, finest first. One level comes from
/// each stage of the backbone; one more, coarser, is for the RPN alone.
inline constexpr std::array<int, 5> kPyramidStrides{4, 8, 16, 32, 64};
inline constexpr std::size_t kPyramidLevels = kPyramidStrides.size();
inline constexpr std::size_t kBackboneStages = kPyramidLevels - 1;

/// What sides of padded images are multiples of, px: the stride of the coarsest stage.
inline constexpr int kSizeDivisor = kPyramidStrides[kBackboneStages - 1];

}  // namespace lockstep::config
