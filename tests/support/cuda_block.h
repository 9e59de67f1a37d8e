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

/// Runs the threads of a CUDA block on a CPU, as coroutines: one runs until it waits at a barrier,
/// and the next one is drawn at random, so that a missing barrier gives wrong results. Under
/// ThreadSanitizer and AddressSanitizer, which do not support that, each is a real thread.
class CudaBlock {
 public:
  /// `sharedBytes`: size of dynamicShared.
  CudaBlock(unsigned threads, std::size_t sharedBytes, std::uint32_t seed);
  ~CudaBlock();
  /// The block of the calling thread.
  static CudaBlock& now();

  /// Calls body(b, t) for every thread t of each block b, one block after the other. Throws
  /// std::logic_error when a thread waits for one that has returned.
  void run(std::size_t blocks, const std::function<void(std::size_t, unsigned)>& body);

  /// The functions below are called by threads of the block.
  void waitForBlock();
  /// A warp has 32 threads: the block size must be a multiple.
  void waitForWarp();
  /// May run other threads before it returns.
  void letOthersPass();
  /// Shuffle (xor): passes `word` to the lane that differs by these bits, and returns that lane's.
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
