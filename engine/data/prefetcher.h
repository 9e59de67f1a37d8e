#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/data/batch.h"

namespace lockstep::data {

/// Loads numbered batches ahead on its own threads and returns them in order, so that results do
/// not depend on the number or timing of threads.
class Prefetcher {
 public:
  using Load = std::function<Batch(std::int64_t number)>;

  /// Batches first … end-1. At most threads + 2 are loaded ahead of the consumer. threads >= 1.
  Prefetcher(Load load, std::int64_t first, std::int64_t end, int threads);
  /// Stops the threads; waits for at most one load per thread.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// The next batch in order. Blocks until it is loaded; rethrows what its load threw, after which
  /// the batch is skipped. Single consumer. Throws std::out_of_range after the last.
  Batch next();
  /// The next batch if it is loaded already. Does not block; exceptions are left for next() to
  /// rethrow.
  std::optional<Batch> nextIfReady();

 private:
  struct Slot {
    Batch batch;
    std::exception_ptr error;
  };
  void run(const std::stop_token& stop);
  /// Takes the slot of nextToTake_, which must be loaded. Call with the mutex held.
  Slot take();

  Load load_;
  const std::int64_t end_;
  const std::int64_t maxAhead_;
  std::mutex mutex_;  ///< guards the members below
  std::condition_variable_any changed_;
  std::map<std::int64_t, Slot> ready_;
  std::int64_t nextToLoad_;
  std::int64_t nextToTake_;
  std::vector<std::jthread> threads_;  ///< last: stops first
};

/// The compute threads that share this machine with the loader threads.
struct ComputeShare {
  int ranks = 1;    ///< on this machine
  int threads = 1;  ///< compute threads per rank; on a GPU the one that launches kernels
};

/// `dataset.loader_threads` resolved, per rank: 0 means the rank's share of the cores minus its
/// compute threads, at least one.
int resolveLoaderThreads(int configured, const ComputeShare& share);
/// The same for a machine with this many cores.
int loaderThreadsOn(int cores, const ComputeShare& share);

}  // namespace lockstep::data
