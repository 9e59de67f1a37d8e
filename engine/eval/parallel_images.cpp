#include "engine/eval/parallel_images.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lockstep::eval {

void forEachImage(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work,
                  const Progress& progress) {
  std::atomic<std::int64_t> next{0}, done{0};
  std::mutex mutex;
  std::exception_ptr failure;  // under mutex
  const auto takeImages = [&] {
    at::set_num_threads(1);
    const at::NoGradGuard noGradients;
    try {
      for (std::int64_t i; (i = next++) < count;) {
        work(i);
        const std::int64_t finished = ++done;
        const std::lock_guard lock(mutex);
        if (progress) progress(finished, count);
      }
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };

  const int intraOpThreads = at::get_num_threads();
  if (threads <= 1) {
    takeImages();
  } else {
    std::vector<std::jthread> workers;
    for (std::int64_t t = 0; t < std::min<std::int64_t>(threads, count); ++t)
      workers.emplace_back(takeImages);
  }
  at::set_num_threads(intraOpThreads);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lockstep::eval
