#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "engine/ops/cuda/launch.cuh"
#include "tests/support/cuda_block.h"

/// Enough of CUDA C++ to run kernels (engine/ops/cuda/*.cuh) on a CPU, included before them. Blocks
/// run one after the other in a random order, and their threads as in CudaBlock. A kernel may use
/// threadIdx.x, blockIdx, blockDim.x, gridDim, __shared__ variables of a size known to the
/// compiler, dynamicShared (filled with NaN before each block), __syncthreads, atomicAdd,
/// atomicMax, the exchanges of a warp that all its threads join, and the functions below.
#define __global__ static
#define __device__
#define __shared__ static

inline void __syncthreads() { lockstep::tests::CudaBlock::now().waitForBlock(); }

template <typename T>
T atomicAdd(T* place, T value) {
  lockstep::tests::CudaBlock::now().letOthersPass();
  return std::atomic_ref(*place).fetch_add(value);
}

template <typename T>
T atomicMax(T* place, T value) {
  lockstep::tests::CudaBlock::now().letOthersPass();
  std::atomic_ref shared(*place);
  T old = shared.load();
  while (old < value && !shared.compare_exchange_weak(old, value)) {
  }
  return old;
}

/// `value` of the lane that differs from this one by these bits (__shfl_xor_sync).
template <typename T>
T __shfl_xor_sync(unsigned, T value, int lanes) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  word = lockstep::tests::CudaBlock::now().exchange(word, static_cast<unsigned>(lanes));
  std::memcpy(&value, &word, sizeof(T));
  return value;
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
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline float __uint_as_float(unsigned word) { return std::bit_cast<float>(word); }
template <typename T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
T max(T a, T b) {
  return a < b ? b : a;
}

namespace lockstep::ops {

template <typename T>
T* dynamicShared() {
  return static_cast<T*>(tests::CudaBlock::now().sharedBytes());
}

}  // namespace lockstep::ops

namespace lockstep::tests {

/// Calls kernel() as <<<launch>>> would. Every call uses another order of blocks and threads, which
/// is reproducible. Throws std::logic_error when a thread waits for one that has returned.
template <typename Kernel>
void launchOnCpu(const ops::Launch& launch, const Kernel& kernel) {
  static std::uint32_t launches = 0;
  gridDim = {launch.x, launch.y, launch.z};
  blockDim = {launch.threads, 1, 1};
  std::vector<CudaIndex> blocks;
  for (unsigned z = 0; z < launch.z; ++z)
    for (unsigned y = 0; y < launch.y; ++y)
      for (unsigned x = 0; x < launch.x; ++x) blocks.push_back({x, y, z});
  std::mt19937 random(++launches);
  std::shuffle(blocks.begin(), blocks.end(), random);
  CudaBlock block(launch.threads, launch.sharedBytes, random());
  block.run(blocks.size(), [&](std::size_t number, unsigned thread) {
    threadIdx = {thread, 0, 0};
    blockIdx = blocks[number];
    kernel();
  });
}

template <typename Kernel>
void launchOnCpu(const CudaIndex& grid, unsigned threads, const Kernel& kernel) {
  launchOnCpu(ops::Launch{grid.x, grid.y, grid.z, threads}, kernel);
}

}  // namespace lockstep::tests
