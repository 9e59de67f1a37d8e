#pragma once

#include <cstddef>
#include <functional>

namespace lockstep::base {

/// Calls work(0) … work(count-1) on up to `threads` threads (0: as many as the machine has), in any
/// order, and returns when all are done. Rethrows the exception of the lowest index that threw.
void parallelFor(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

/// The same by chunks of up to `size`: work(begin, end).
void parallelForChunks(std::size_t count, std::size_t size, int threads,
                       const std::function<void(std::size_t, std::size_t)>& work);

}  // namespace lockstep::base
