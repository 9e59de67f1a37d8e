#pragma once

#include <cstdint>

#include "engine/ops/cuda/launch.cuh"

/// Kernels of tensor_sums.cu. Letters: P tensors, C chunks of all tensors, S sums (2 or 3).
namespace lockstep::ops {

constexpr int kSumThreads = 256;
constexpr int kMostSums = 3;

/// The tensors, in device memory.
struct SumJob {
  const std::int64_t* values;       // [P] addresses of floats
  const std::int64_t* others;       // [P], or null
  const std::int64_t* counts;       // [P] elements
  const std::int64_t* firstChunks;  // [P + 1]
  int tensors;                      // P
  int chunkSize;

  __device__ int sums() const { return others == nullptr ? 2 : kMostSums; }
  /// The last tensor whose first chunk is not behind `chunk`; an empty tensor has none.
  __device__ int tensorOf(std::int64_t chunk) const {
    int low = 0, high = tensors;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (firstChunks[middle] <= chunk ? low : high) = middle;
    }
    return low;
  }
};

/// Adds up the values of all threads of a block, in pairs; thread 0 has the result.
__device__ inline void addOverBlock(double (&space)[kMostSums][kSumThreads], int sums) {
  const auto thread = static_cast<int>(threadIdx.x);
  for (int distance = static_cast<int>(blockDim.x) / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (thread >= distance) continue;
    for (int s = 0; s < sums; ++s) space[s][thread] += space[s][thread + distance];
  }
}

/// Sums of the chunk blockIdx.x -> chunkSums [C,S]. The number of threads is a power of two.
inline __global__ void chunkSumsKernel(SumJob job, double* chunkSums) {
  __shared__ double space[kMostSums][kSumThreads];
  const std::int64_t chunk = blockIdx.x;
  const int tensor = job.tensorOf(chunk), sums = job.sums();
  const std::int64_t begin = (chunk - job.firstChunks[tensor]) * job.chunkSize;
  const std::int64_t rest = job.counts[tensor] - begin;
  const auto count = static_cast<int>(rest < job.chunkSize ? rest : job.chunkSize);
  const float* values = reinterpret_cast<const float*>(job.values[tensor]) + begin;
  const float* others =
      job.others == nullptr ? nullptr : reinterpret_cast<const float*>(job.others[tensor]) + begin;
  double sum = 0, squares = 0, differences = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    const double value = values[i];
    sum += value;
    squares += value * value;
    if (others == nullptr) continue;
    const double difference = value - others[i];
    differences += difference * difference;
  }
  space[0][threadIdx.x] = sum;
  space[1][threadIdx.x] = squares;
  space[2][threadIdx.x] = differences;
  addOverBlock(space, sums);
  if (threadIdx.x != 0) return;
  for (int s = 0; s < sums; ++s) chunkSums[chunk * sums + s] = space[s][0];
}

/// Sums of the tensor blockIdx.x -> result [P,S]. The number of threads is a power of two.
inline __global__ void addChunksKernel(SumJob job, const double* chunkSums, double* result) {
  __shared__ double space[kMostSums][kSumThreads];
  const auto tensor = static_cast<int>(blockIdx.x);
  const int sums = job.sums();
  for (int s = 0; s < sums; ++s) {
    double sum = 0;
    for (std::int64_t chunk = job.firstChunks[tensor] + threadIdx.x;
         chunk < job.firstChunks[tensor + 1]; chunk += blockDim.x)
      sum += chunkSums[chunk * sums + s];
    space[s][threadIdx.x] = sum;
  }
  addOverBlock(space, sums);
  if (threadIdx.x != 0) return;
  for (int s = 0; s < sums; ++s) result[tensor * sums + s] = space[s][0];
}

}  // namespace lockstep::ops
