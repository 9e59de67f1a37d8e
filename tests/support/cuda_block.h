#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define LOCKSTEP_REAL_THREADS 1
#else
#define LOCKSTEP_REAL_THREADS 0
#endif

namespace lockstep::tests {

struct CudaIndex {
  unsigned x = 1, y = 1, z = 1;
};

/// The threads of a block on a CPU. They take turns: one runs until it waits for others, who goes
/// on is drawn at random, so that what needs a barrier and has none comes out wrong. Under
/// ThreadSanitizer and AddressSanitizer, which cannot follow that, each is a thread of its own.
class CudaBlock {
 public:
  /// sharedBytes: of dynamicShared.
  CudaBlock(unsigned threads, std::size_t sharedBytes, std::uint32_t seed);
  ~CudaBlock();
  /// The one whose threads call this.
  static CudaBlock& now();

  /// Calls body(b, t) for every thread t of each of so many blocks, one block after the other.
  /// Throws std::logic_error where one waits for a thread that has returned.
  void run(std::size_t blocks, const std::function<void(std::size_t, unsigned)>& body);

  /// The rest is called by threads of the block.
  void waitForBlock();
  /// Of 32 threads: the block's number of threads must be a multiple.
  void waitForWarp();
  /// May run others before it returns.
  void letOthersPass();
  /// Gives `word` to the thread of the warp whose lane differs by these bits, and returns its.
  std::uint64_t exchange(std::uint64_t word, unsigned lanes);
  void* sharedBytes() { return shared_.data(); }

 private:
  class Threads;
  std::vector<std::byte> shared_;
  std::vector<std::uint64_t> exchanged_;
  std::unique_ptr<Threads> threads_;
};

}  // namespace lockstep::tests

inline thread_local lockstep::tests::CudaIndex threadIdx, blockIdx;
inline lockstep::tests::CudaIndex blockDim, gridDim;
