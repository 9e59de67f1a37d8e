#pragma once

#include <cstdint>

namespace lockstep::structures {

/// The part of an image outside of which a mask is 0, and where its pixels are: row by row without
/// gaps. A row of `windows` tensors.
struct MaskWindow {
  std::int64_t firstByte = kNoMask;
  std::int64_t left = 0, top = 0, width = 0, height = 0;  ///< px

  static constexpr std::int64_t kNoMask = -1;
};
inline constexpr std::int64_t kMaskWindowFields = sizeof(MaskWindow) / sizeof(std::int64_t);

}  // namespace lockstep::structures
