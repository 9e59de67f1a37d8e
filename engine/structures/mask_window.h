#pragma once

#include <cstdint>

namespace lockstep::structures {

/// The window of a mask, outside of which it is 0, and the offset of its pixels (row-major,
/// contiguous). A row of `windows` tensors.
struct MaskWindow {
  std::int64_t firstByte = kNoMask;  ///< the first field, see GtMasks::hasMask()
  std::int64_t left = 0, top = 0, width = 0, height = 0;  ///< px

  static constexpr std::int64_t kNoMask = -1;
};
inline constexpr std::int64_t kMaskWindowFields = sizeof(MaskWindow) / sizeof(std::int64_t);

}  // namespace lockstep::structures
