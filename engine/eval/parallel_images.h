#pragma once

#include <cstdint>
#include <functional>

namespace lockstep::eval {

using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Calls work(0) … work(count - 1), each once, side by side on `threads` threads of which each has
/// one intra-op thread, so that the figures of an image do not depend on how many there are. One
/// thread is the calling one (as a GPU needs it). No gradients. The first exception ends the others
/// at their next image and is rethrown. `progress` comes from any of them.
void forEachImage(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work,
                  const Progress& progress = {});

}  // namespace lockstep::eval
