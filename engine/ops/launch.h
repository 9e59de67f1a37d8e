#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::ops {

/// What a kernel is started with.
struct Launch {
  unsigned x = 1, y = 1, z = 1;  ///< blocks
  unsigned threads = 1;          ///< of a block
  std::size_t sharedBytes = 0;   ///< of a block, beside what the kernel declares
};

/// Blocks of so many for all of `count`.
inline unsigned blocksFor(std::int64_t count, std::int64_t ofBlock) {
  return static_cast<unsigned>((count + ofBlock - 1) / ofBlock);
}

}  // namespace lockstep::ops
