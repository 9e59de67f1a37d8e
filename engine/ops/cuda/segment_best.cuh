#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/ops/cuda/block_select.cuh"
#include "engine/ops/ordered_bits.h"

/// Kernels of segment_best.cu. Letters: N images, A scores of an image, K best ones.
namespace lockstep::ops {

constexpr int kMostSegments = 8;
constexpr std::uint64_t kNoScore = ~std::uint64_t{0};

struct ScoreSegment {
  int first, count;      // among the A
  int best, firstOut;    // of the K
  int firstPart, parts;  // blocks' shares; one alone is not read twice
};

struct SegmentPlan {
  ScoreSegment segments[kMostSegments];
  int segmentCount, partSize, parts;
  int most;           // entries that a part gives
  int bestCount;      // K
  bool hasManyParts;  // any segment
};

inline SegmentPlan planSegments(const std::vector<std::int64_t>& sizes, std::int64_t most,
                                std::int64_t partSize) {
  SegmentPlan plan{};
  plan.partSize = static_cast<int>(partSize);
  plan.most = static_cast<int>(most);
  int first = 0;
  for (const std::int64_t size : sizes) {
    const auto count = static_cast<int>(size), best = static_cast<int>(std::min(size, most)),
               parts = static_cast<int>((size + partSize - 1) / partSize);
    plan.segments[plan.segmentCount++] = {first, count, best, plan.bestCount, plan.parts, parts};
    first += count;
    plan.bestCount += best;
    plan.parts += parts;
    plan.hasManyParts = plan.hasManyParts || parts > 1;
  }
  return plan;
}

template <typename T>
struct SegmentJob {
  SegmentPlan plan;
  const T* scores;  // [N,A]
  int size;         // A
  // What was found in the parts: [N,parts,most], kNoScore where there is nothing.
  std::uint64_t* partKeys;
  std::uint32_t* partIndices;
  std::int64_t *indices, *segments;  // [N,K]
};

template <typename T>
struct PartOfScores {
  const T* scores;
  int first, count;

  __device__ bool read(int i, SelectEntry& entry) const {
    const auto bits =
        static_cast<std::uint64_t>(descendingBits(static_cast<float>(scores[first + i])));
    const auto index = static_cast<std::uint32_t>(first + i);
    // The index behind the score as well: halves tie often, and digits that are all 0 would be
    // looked at before it.
    entry = {bits << 32 | index, index};
    return true;
  }
};

struct BestOfParts {
  const std::uint64_t* keys;
  const std::uint32_t* indices;
  int count;

  __device__ bool read(int i, SelectEntry& entry) const {
    entry = {keys[i], indices[i]};
    return entry.key != kNoScore;
  }
};

/// One block for a part (x) of an image (y).
template <typename T>
__global__ void bestOfPartsKernel(SegmentJob<T> job) {
  __shared__ SelectSpace space;
  const SegmentPlan& plan = job.plan;
  const int part = static_cast<int>(blockIdx.x), image = static_cast<int>(blockIdx.y);
  int s = 0;
  while (part >= plan.segments[s].firstPart + plan.segments[s].parts) ++s;
  const ScoreSegment& segment = plan.segments[s];
  if (segment.parts == 1) return;
  const int begin = (part - segment.firstPart) * plan.partSize;
  const int left = segment.count - begin;
  const PartOfScores<T> source{job.scores + static_cast<std::int64_t>(image) * job.size,
                               segment.first + begin, left < plan.partSize ? left : plan.partSize};
  const int found = selectSmallest(source, segment.best, space);
  const std::int64_t out = (static_cast<std::int64_t>(image) * plan.parts + part) * plan.most;
  for (int i = static_cast<int>(threadIdx.x); i < plan.most; i += static_cast<int>(blockDim.x)) {
    job.partKeys[out + i] = i < found ? space.keys[i] : kNoScore;
    job.partIndices[out + i] = i < found ? space.indices[i] : 0;
  }
}

/// One block for a segment (x) of an image (y).
template <typename T>
__global__ void bestOfSegmentsKernel(SegmentJob<T> job) {
  __shared__ SelectSpace space;
  const SegmentPlan& plan = job.plan;
  const int s = static_cast<int>(blockIdx.x), image = static_cast<int>(blockIdx.y);
  const ScoreSegment& segment = plan.segments[s];
  int found = 0;
  if (segment.parts == 1) {
    const PartOfScores<T> source{job.scores + static_cast<std::int64_t>(image) * job.size,
                                 segment.first, segment.count};
    found = selectSmallest(source, segment.best, space);
  } else {
    const std::int64_t begin =
        (static_cast<std::int64_t>(image) * plan.parts + segment.firstPart) * plan.most;
    const BestOfParts source{job.partKeys + begin, job.partIndices + begin,
                             segment.parts * plan.most};
    found = selectSmallest(source, segment.best, space);
  }
  const std::int64_t out = static_cast<std::int64_t>(image) * plan.bestCount + segment.firstOut;
  for (int i = static_cast<int>(threadIdx.x); i < found; i += static_cast<int>(blockDim.x)) {
    job.indices[out + i] = space.indices[i];
    job.segments[out + i] = s;
  }
}

}  // namespace lockstep::ops
