#pragma once

#include <cstdint>

namespace lockstep::ops {

/// Values of `matchBoxes` for unmatched boxes, as in torchvision's Matcher.
inline constexpr std::int64_t kBelowThreshold = -1;
inline constexpr std::int64_t kBetweenThresholds = -2;

}  // namespace lockstep::ops
