#pragma once

#include <cstdint>

namespace lockstep::ops {

/// What `matchBoxes` gives instead of an index of a ground-truth box.
inline constexpr std::int64_t kBelowThreshold = -1;
inline constexpr std::int64_t kBetweenThresholds = -2;

}  // namespace lockstep::ops
