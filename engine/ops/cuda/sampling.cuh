#pragma once

#include <cstdint>

#include "engine/base/counter_hash.h"
#include "engine/ops/cuda/block_select.cuh"

/// Kernels of sampling.cu. Letters: N images, A candidates per image, K sample slots per image.
namespace lockstep::ops {

constexpr std::uint64_t kNoKey = ~std::uint64_t{0};  // hashed keys have 63 bits

/// Per-part results: [N,2,parts,K], kNoKey if there is none.
struct PartialSample {
  std::uint64_t* keys;
  std::uint32_t* indices;
};

struct SampleJob {
  const std::int64_t* labels;   // [N,A]
  const std::int64_t* numbers;  // [N,A], or null: indices are used
  const std::int64_t* words;    // [N,2]: mixBits of the keys of positives and of negatives
  int candidates;               // A
  int mostPositives, slots;     // slots: K
  int partSize, parts;
  PartialSample partial;  // where there is more than one part
  std::int64_t* indices;  // [N,K]
  bool* valid;            // [N,K]
  bool* isPositive;       // [N,K]
};

/// Candidates of one kind (0: positive, 1: negative) in one part of an image.
struct PartOfLabels {
  const std::int64_t* labels;
  const std::int64_t* numbers;
  std::uint64_t word;
  int kind, first;
  int count;

  __device__ PartOfLabels(const SampleJob& job, int image, int kindOf, int part)
      : labels(job.labels + static_cast<std::int64_t>(image) * job.candidates),
        numbers(job.numbers == nullptr
                    ? nullptr
                    : job.numbers + static_cast<std::int64_t>(image) * job.candidates),
        word(static_cast<std::uint64_t>(job.words[2 * image + kindOf])),
        kind(kindOf),
        first(part * job.partSize),
        count(job.candidates - first < job.partSize ? job.candidates - first : job.partSize) {}

  __device__ bool read(int i, SelectEntry& entry) const {
    const int candidate = first + i;
    const std::int64_t label = labels[candidate];
    if (kind == 0 ? label <= 0 : label != 0) return false;
    const std::int64_t number = numbers == nullptr ? candidate : numbers[candidate];
    entry = {base::mixBits(word ^ static_cast<std::uint64_t>(number)) >> 1,
             static_cast<std::uint32_t>(candidate)};
    return true;
  }
};

/// Per-part results of an image.
struct FoundInParts {
  const std::uint64_t* keys;
  const std::uint32_t* indices;
  int count;

  __device__ FoundInParts(const SampleJob& job, int image, int kind)
      : count(job.parts * job.slots) {
    const std::int64_t begin = (2 * static_cast<std::int64_t>(image) + kind) * count;
    keys = job.partial.keys + begin;
    indices = job.partial.indices + begin;
  }
  __device__ bool read(int i, SelectEntry& entry) const {
    entry = {keys[i], indices[i]};
    return entry.key != kNoKey;
  }
};

/// One block per part of an image (x), kind (y) and image (z).
inline __global__ void samplePartsKernel(SampleJob job) {
  __shared__ SelectSpace space;
  const int part = static_cast<int>(blockIdx.x), kind = static_cast<int>(blockIdx.y),
            image = static_cast<int>(blockIdx.z), slots = job.slots;
  const int found = selectSmallest(PartOfLabels(job, image, kind, part),
                                   kind == 0 ? job.mostPositives : job.slots, space);
  const std::int64_t begin =
      ((2 * static_cast<std::int64_t>(image) + kind) * job.parts + part) * slots;
  for (int i = static_cast<int>(threadIdx.x); i < slots; i += static_cast<int>(blockDim.x)) {
    job.partial.keys[begin + i] = i < found ? space.keys[i] : kNoKey;
    job.partial.indices[begin + i] = i < found ? space.indices[i] : 0;
  }
}

/// One block per image: positives, then negatives.
inline __global__ void sampleKernel(SampleJob job) {
  __shared__ SelectSpace space;
  const int image = static_cast<int>(blockIdx.x), slots = job.slots;
  const std::int64_t begin = static_cast<std::int64_t>(image) * slots;
  int filled = 0;  // the same in every thread
  for (int kind = 0; kind < 2; ++kind) {
    const int most = kind == 0 ? job.mostPositives : slots - filled;
    const int found = job.parts == 1
                          ? selectSmallest(PartOfLabels(job, image, kind, 0), most, space)
                          : selectSmallest(FoundInParts(job, image, kind), most, space);
    for (int i = static_cast<int>(threadIdx.x); i < found; i += static_cast<int>(blockDim.x)) {
      job.indices[begin + filled + i] = space.indices[i];
      job.valid[begin + filled + i] = true;
      job.isPositive[begin + filled + i] = kind == 0;
    }
    filled += found;
    __syncthreads();
  }
  for (int i = filled + static_cast<int>(threadIdx.x); i < slots;
       i += static_cast<int>(blockDim.x)) {
    job.indices[begin + i] = 0;
    job.valid[begin + i] = false;
    job.isPositive[begin + i] = false;
  }
}

}  // namespace lockstep::ops
