#pragma once

#include <cstdint>
#include <functional>

namespace lockstep::eval {

using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Calls work(0) … work(count - 1), each once, in parallel on `threads` threads with one intra-op
/// thread each, so that an image's results do not depend on their number; where there are fewer
/// images than threads, the others are spare (SpareThreads). With one thread or one image, it is on
/// the calling thread (which a GPU needs). Without gradients. The first exception stops the other
/// threads before their next image and is rethrown. `progress` is called from any of the threads.
void forEachImage(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work,
                  const Progress& progress = {});

}  // namespace lockstep::eval
