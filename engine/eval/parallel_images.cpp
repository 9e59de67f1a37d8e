#include "engine/eval/parallel_images.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/ops/spare_threads.h"

namespace lockstep::eval {
namespace {

/// A thread's first operation takes the number that any thread has set last, for LibTorch and for
/// its headers in this program each. It must not be in the place of what the thread sets itself.
void takeThreadCount() {
  at::internal::lazy_init_num_threads();
  at::get_num_threads();
}

}  // namespace

void forEachImage(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work,
                  const Progress& progress) {
  std::atomic<std::int64_t> next{0}, done{0};
  std::mutex mutex;
  std::exception_ptr failure;  // under mutex
  const auto workerCount =
      static_cast<int>(std::clamp<std::int64_t>(count, 1, std::max(threads, 1)));
  const auto takeImages = [&] {
    takeThreadCount();
    at::set_num_threads(1);
    const ops::SpareThreads spare(threads / workerCount);
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
  if (workerCount == 1) {
    takeImages();
  } else {
    std::vector<std::jthread> workers;
    for (int t = 0; t < workerCount; ++t) workers.emplace_back(takeImages);
  }
  at::set_num_threads(intraOpThreads);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lockstep::eval
