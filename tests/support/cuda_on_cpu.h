#pragma once

#include <atomic>
#include <barrier>
#include <bit>
#include <cmath>
#include <thread>
#include <vector>

/// Enough of CUDA C++ to run simple kernels (*_kernels.cuh) on a CPU, included before them: the
/// threads of a block are threads, which wait for one another at __syncthreads; blocks run one
/// after the other. A kernel may use threadIdx.x, blockIdx, blockDim.x, gridDim, __shared__
/// variables of a size known to the compiler, __syncthreads, atomicAdd and the functions below.
#define __global__ static
#define __device__
#define __shared__ static

namespace lockstep::tests {

struct CudaIndex {
  unsigned x = 1, y = 1, z = 1;
};

}  // namespace lockstep::tests

inline thread_local lockstep::tests::CudaIndex threadIdx, blockIdx;
inline lockstep::tests::CudaIndex blockDim, gridDim;
inline std::barrier<>* blockBarrier = nullptr;

inline void __syncthreads() { blockBarrier->arrive_and_wait(); }

template <typename T>
T atomicAdd(T* place, T value) {
  return std::atomic_ref(*place).fetch_add(value);
}

struct float4 {
  float x, y, z, w;
};
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline int __popcll(unsigned long long word) { return std::popcount(word); }
inline int __ffsll(long long word) { return __builtin_ffsll(word); }

namespace lockstep::tests {

/// Calls kernel() as <<<grid, threads>>> would.
template <typename Kernel>
void launchOnCpu(const CudaIndex& grid, unsigned threads, const Kernel& kernel) {
  gridDim = grid;
  blockDim = {threads, 1, 1};
  std::barrier<> barrier(threads);
  blockBarrier = &barrier;
  const auto run = [&](unsigned thread) {
    threadIdx = {thread, 0, 0};
    for (unsigned z = 0; z < grid.z; ++z) {
      for (unsigned y = 0; y < grid.y; ++y) {
        for (unsigned x = 0; x < grid.x; ++x) {
          blockIdx = {x, y, z};
          kernel();
          barrier.arrive_and_wait();
        }
      }
    }
  };
  std::vector<std::jthread> others;
  for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  run(0);
}

}  // namespace lockstep::tests
