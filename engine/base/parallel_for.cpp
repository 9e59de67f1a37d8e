#include "engine/base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lockstep::base {

void parallelFor(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  std::size_t threadCount = threads > 0 ? static_cast<std::size_t>(threads)
                                        : std::max(1U, std::thread::hardware_concurrency());
  threadCount = std::min(threadCount, count);
  std::atomic<std::size_t> next{0};
  std::mutex failureMutex;  // guards the two below
  std::exception_ptr failure;
  std::size_t failedIndex = count;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(failureMutex);
        if (i < failedIndex) failure = std::current_exception();
        failedIndex = std::min(failedIndex, i);
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 1; i < threadCount; ++i) workers.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

void parallelForChunks(std::size_t count, std::size_t size, int threads,
                       const std::function<void(std::size_t, std::size_t)>& work) {
  parallelFor((count + size - 1) / size, threads,
              [&](std::size_t chunk) { work(chunk * size, std::min(count, (chunk + 1) * size)); });
}

}  // namespace lockstep::base
