#pragma once

#include <cstdint>

namespace lockstep::ops {

/// Sizes of the input and output of maxPool3x3.
struct PoolSize {
  std::int64_t images, channels, height, width, outHeight, outWidth;

  PoolSize(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w)
      : images(n),
        channels(c),
        height(h),
        width(w),
        outHeight((h + 1) / 2),
        outWidth((w + 1) / 2) {}
};

}  // namespace lockstep::ops
