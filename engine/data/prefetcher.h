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

/// Loads numbered batches ahead on threads of its own and hands them out in order, whichever thread
/// was quicker. So results do not depend on the number of threads.
class Prefetcher {
 public:
  using Load = std::function<Batch(std::int64_t number)>;

  /// Batches first … end-1. At most threads + 2 are ahead of the taker. threads >= 1.
  Prefetcher(Load load, std::int64_t first, std::int64_t end, int threads);
  /// Stops the threads; waits for at most one load of each.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// The next batch in order. Blocks until it is there; rethrows what its load threw, once: the one
  /// after it is next then. One taker. Throws std::out_of_range after the last.
  Batch next();
  /// The next batch if it is there already. Does not block; what next() would throw stays for it.
  std::optional<Batch> nextIfReady();

 private:
  struct Slot {
    Batch batch;
    std::exception_ptr error;
  };
  void run(const std::stop_token& stop);
  /// That of nextToTake_, which is loaded. Under the mutex.
  Slot take();

  Load load_;
  const std::int64_t end_;
  const std::int64_t maxAhead_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable_any changed_;
  std::map<std::int64_t, Slot> ready_;
  std::int64_t nextToLoad_;
  std::int64_t nextToTake_;
  std::vector<std::jthread> threads_;  ///< last: stops first
};

/// What computes on this machine beside the loader threads.
struct ComputeShare {
  int ranks = 1;    ///< that share its cores
  int threads = 1;  ///< of each that compute on the CPU; on a GPU the one that feeds it
};

/// `dataset.loader_threads` resolved, those of one rank: 0 is as many as help, which is what its
/// share of the cores leaves, or one.
int resolveLoaderThreads(int configured, const ComputeShare& share);
/// The same of a machine with so many cores.
int loaderThreadsOn(int cores, const ComputeShare& share);

}  // namespace lockstep::data
