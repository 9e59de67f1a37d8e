#include "engine/data/prefetcher.h"

#include <c10/util/ParallelGuard.h>

#include <algorithm>
#include <stdexcept>

namespace lockstep::data {
namespace {

constexpr int kSparePlaces = 2;
constexpr int kMostLoaderThreads = 16;

}  // namespace

Prefetcher::Prefetcher(Load load, std::int64_t first, std::int64_t end, int threads)
    : load_(std::move(load)),
      end_(end),
      maxAhead_(std::max(threads, 1) + kSparePlaces),
      nextToLoad_(first),
      nextToTake_(first) {
  for (int i = 0; i < std::max(threads, 1); ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
  }
}

Prefetcher::~Prefetcher() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

void Prefetcher::run(const std::stop_token& stop) {
  // Loader threads run in parallel, without intra-op parallelism.
  const c10::ParallelGuard alone(true);
  std::unique_lock lock(mutex_);
  while (nextToLoad_ < end_ && !stop.stop_requested()) {
    const auto hasRoom = [this] {
      return nextToLoad_ >= end_ || nextToLoad_ < nextToTake_ + maxAhead_;
    };
    if (!changed_.wait(lock, stop, hasRoom) || nextToLoad_ >= end_) return;
    const std::int64_t number = nextToLoad_++;
    lock.unlock();
    Slot slot;
    try {
      slot.batch = load_(number);
    } catch (...) {
      slot.error = std::current_exception();
    }
    lock.lock();
    ready_.emplace(number, std::move(slot));
    changed_.notify_all();
  }
}

Batch Prefetcher::next() {
  std::unique_lock lock(mutex_);
  if (nextToTake_ >= end_) throw std::out_of_range("no batch is left");
  changed_.wait(lock, [this] { return ready_.contains(nextToTake_); });
  Slot slot = take();
  if (slot.error) std::rethrow_exception(slot.error);
  return std::move(slot.batch);
}

std::optional<Batch> Prefetcher::nextIfReady() {
  const std::lock_guard lock(mutex_);
  const auto found = ready_.find(nextToTake_);
  if (found == ready_.end() || found->second.error) return std::nullopt;
  return take().batch;
}

Prefetcher::Slot Prefetcher::take() {
  Slot slot = std::move(ready_.extract(nextToTake_).mapped());
  ++nextToTake_;
  changed_.notify_all();
  return slot;
}

int resolveLoaderThreads(int configured, const ComputeShare& share) {
  if (configured > 0) return configured;
  return loaderThreadsOn(static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U)),
                         share);
}

int loaderThreadsOn(int cores, const ComputeShare& share) {
  return std::clamp(cores / std::max(share.ranks, 1) - share.threads, 1, kMostLoaderThreads);
}

}  // namespace lockstep::data
