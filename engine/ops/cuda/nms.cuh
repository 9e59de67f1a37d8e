#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/ops/cuda/box_iou.cuh"
#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/host_device.h"

/// Kernels of nms.cu, in the order in which they run: each group of each image is one problem, and
/// all are solved in parallel. Letters: N images, A candidates per image, G groups, K maximum
/// number to keep.
namespace lockstep::ops {

using NmsWord = unsigned long long;
constexpr int kNmsBits = 64;         // boxes whose suppression one word of the mask holds
constexpr int kMostNmsWords = 4096;  // of a row
constexpr int kNmsRowsAtOnce = 16;   // rows processed in parallel
constexpr int kNmsThreads = 256;     // of the blocks that iterate over all candidates of an image
constexpr unsigned kNmsTileBlocks = 16384;  // that are started at most, or else one per problem

/// The candidates of all images, sorted by falling score per image, invalid ones last.
struct NmsBoxes {
  const float4* boxes;         // [N,A]
  const std::int64_t* groups;  // [N,A], 0 … G - 1
  const std::int64_t* order;   // [N,A], candidate index by rank
  const std::int64_t* counts;  // [N], number of valid ones
  int size;                    // A
  int groupCount;              // G
  int groupSize;               // members of a group at most

  LOCKSTEP_HOST_DEVICE int words() const { return (groupSize + kNmsBits - 1) / kNmsBits; }
};

/// Intermediate results between the kernels. A problem is a group of an image: image * G + group.
struct NmsWork {
  int* members;   // [N,A], ranks of the members: group after group, ascending
  int* firsts;    // [N * G], where a problem's members begin in those of its image
  int* counts;    // [N * G], of its members
  NmsWord* mask;  // [N,A,words], of each member which later ones of its group it suppresses
  bool* isKept;   // [N,A], of the sorted ones; starts as false
};

struct NmsKept {
  int slots;              // K
  std::int64_t* indices;  // [N,K]
  bool* valid;            // [N,K]
};

/// A problem as its blocks see it.
struct NmsProblem {
  const float4* boxes;        // of the image
  const std::int64_t* order;  // of the image
  bool* isKept;               // of the image
  const int* members;
  int count;
  std::int64_t firstRow;  // of the mask

  __device__ NmsProblem(const NmsBoxes& all, const NmsWork& work, std::int64_t problem) {
    const std::int64_t image = problem / all.groupCount;
    boxes = all.boxes + image * all.size;
    order = all.order + image * all.size;
    isKept = work.isKept + image * all.size;
    firstRow = image * all.size + work.firsts[problem];
    members = work.members + firstRow;
    count = work.counts[problem];
  }
  __device__ float4 box(int member) const { return boxes[order[members[member]]]; }
};

/// Elements [first, end) of this thread if a block divides `count` among its threads.
struct ThreadShare {
  int first, end;

  __device__ explicit ThreadShare(int count) {
    const int threads = static_cast<int>(blockDim.x), each = (count + threads - 1) / threads;
    first = min(static_cast<int>(threadIdx.x) * each, count);
    end = min(first + each, count);
  }
};

/// A block-wide prefix sum.
struct ThreadSum {
  int before, all;  // over those before this one, and over all

  /// sums [threads] is shared by them and free again afterwards.
  __device__ ThreadSum(int own, int* sums) {
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    sums[thread] = own;
    __syncthreads();
    for (int step = 1; step < threads; step *= 2) {
      const int other = thread >= step ? sums[thread - step] : 0;
      __syncthreads();
      sums[thread] += other;
      __syncthreads();
    }
    before = sums[thread] - own;
    all = sums[threads - 1];
    __syncthreads();
  }
};

/// One block per problem: its members, after those of the groups before it.
inline __global__ void groupKernel(NmsBoxes all, NmsWork work) {
  __shared__ int sums[kNmsThreads];
  const std::int64_t problem = blockIdx.x, image = problem / all.groupCount;
  const std::int64_t group = problem - image * all.groupCount;
  const std::int64_t* groups = all.groups + image * all.size;
  const std::int64_t* order = all.order + image * all.size;
  const ThreadShare share(static_cast<int>(all.counts[image]));
  int own = 0, ofEarlier = 0;
  for (int i = share.first; i < share.end; ++i) {
    own += groups[order[i]] == group;
    ofEarlier += groups[order[i]] < group;
  }
  const int first = ThreadSum(ofEarlier, sums).all;
  const ThreadSum members(own, sums);
  int* place = work.members + image * all.size + first + members.before;
  for (int i = share.first; i < share.end; ++i)
    if (groups[order[i]] == group) *place++ = i;
  if (threadIdx.x == 0) {
    work.firsts[problem] = first;
    work.counts[problem] = min(members.all, all.groupSize);
  }
}

/// Bit j of a member's word w: member 64 w + j comes after it and overlaps above the threshold. A
/// tile has 64 members, one a row, and 64 in its columns; those above the diagonal and on it are
/// divided among the blocks (y) of a problem (x). Words below the diagonal are not written and not
/// read.
inline __global__ void overlapKernel(NmsBoxes all, NmsWork work, float threshold) {
  __shared__ float4 columns[kNmsBits];
  const NmsProblem problem(all, work, blockIdx.x);
  const int words = (problem.count + kNmsBits - 1) / kNmsBits, tiles = words * (words + 1) / 2;
  for (int tile = static_cast<int>(blockIdx.y); tile < tiles; tile += static_cast<int>(gridDim.y)) {
    int rowTile = 0, columnTile = tile;  // a row of tiles is one shorter than that before it
    for (; columnTile >= words - rowTile; ++rowTile) columnTile -= words - rowTile;
    columnTile += rowTile;
    const int firstRow = rowTile * kNmsBits, firstColumn = columnTile * kNmsBits;
    const int rows = min(kNmsBits, problem.count - firstRow),
              size = min(kNmsBits, problem.count - firstColumn);
    for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x))
      columns[i] = problem.box(firstColumn + i);
    __syncthreads();
    for (int r = static_cast<int>(threadIdx.x); r < rows; r += static_cast<int>(blockDim.x)) {
      const float4 own = problem.box(firstRow + r);
      NmsWord bits = 0;
      for (int i = rowTile == columnTile ? r + 1 : 0; i < size; ++i)
        if (boxIou(own, columns[i]) > threshold) bits |= NmsWord{1} << i;
      work.mask[(problem.firstRow + firstRow + r) * all.words() + columnTile] = bits;
    }
    __syncthreads();
  }
}

/// The word `later` of the rows of 64 boxes that are set in `kept`, together.
inline __device__ NmsWord suppressedBy(NmsWord kept, const NmsWord* rows, int words, int later) {
  NmsWord gone = 0;
  int row = 0;
  while (kept != 0) {
    NmsWord some[kNmsRowsAtOnce];
    LOCKSTEP_UNROLL
    for (int i = 0; i < kNmsRowsAtOnce; ++i) {
      // If none is left, reload the last row: no branch.
      if (kept != 0) row = __ffsll(static_cast<long long>(kept)) - 1;
      some[i] = rows[static_cast<std::int64_t>(row) * words + later];
      kept &= kept - 1;
    }
    LOCKSTEP_UNROLL
    for (int i = 0; i < kNmsRowsAtOnce; ++i) gone |= some[i];
  }
  return gone;
}

/// One block per problem. Takes 64 members at a time: one thread runs NMS within the 64, then all
/// threads share the later words of what the kept ones suppress. Ends with as many kept as an image
/// has slots.
inline __global__ void keepKernel(NmsBoxes all, NmsWork work, int slots) {
  auto* const suppressed = dynamicShared<NmsWord>();  // [words]
  __shared__ NmsWord diagonal[kNmsBits];
  __shared__ NmsWord kept;
  const NmsProblem problem(all, work, blockIdx.x);
  const int words = all.words(), first = static_cast<int>(threadIdx.x),
            threads = static_cast<int>(blockDim.x);
  const NmsWord* rows = work.mask + problem.firstRow * words;
  for (int word = first; word < words; word += threads) suppressed[word] = 0;
  int filled = 0;  // slots; the same in every thread
  for (int word = 0; word * kNmsBits < problem.count && filled < slots; ++word) {
    const int size = min(kNmsBits, problem.count - word * kNmsBits);
    const NmsWord* own = rows + static_cast<std::int64_t>(word) * kNmsBits * words;
    for (int i = first; i < size; i += threads)
      diagonal[i] = own[static_cast<std::int64_t>(i) * words + word];
    __syncthreads();
    if (first == 0) {
      const NmsWord there = size < kNmsBits ? (NmsWord{1} << size) - 1 : ~NmsWord{0};
      NmsWord left = there & ~suppressed[word], stays = 0;
      for (int room = slots - filled; left != 0 && room > 0; --room) {
        const int i = __ffsll(static_cast<long long>(left)) - 1;
        stays |= NmsWord{1} << i;
        left &= ~(diagonal[i] | NmsWord{1} << i);
      }
      kept = stays;
    }
    __syncthreads();
    const NmsWord stays = kept;
    for (int i = first; i < size; i += threads)
      if ((stays >> i & 1) != 0) problem.isKept[problem.members[word * kNmsBits + i]] = true;
    filled += __popcll(stays);
    for (int later = word + 1 + first; later * kNmsBits < problem.count; later += threads)
      suppressed[later] |= suppressedBy(stays, own, words, later);
  }
}

/// One block per image: the first of what its groups keep.
inline __global__ void gatherKernel(NmsBoxes all, NmsWork work, NmsKept out) {
  __shared__ int sums[kNmsThreads];
  const std::int64_t image = blockIdx.x;
  const bool* isKept = work.isKept + image * all.size;
  const std::int64_t* order = all.order + image * all.size;
  std::int64_t* indices = out.indices + image * out.slots;
  bool* valid = out.valid + image * out.slots;
  const ThreadShare share(static_cast<int>(all.counts[image]));
  int own = 0;
  for (int i = share.first; i < share.end; ++i) own += isKept[i];
  const ThreadSum kept(own, sums);
  int slot = kept.before;
  for (int i = share.first; i < share.end && slot < out.slots; ++i) {
    if (!isKept[i]) continue;
    indices[slot] = order[i];
    valid[slot++] = true;
  }
  for (int empty = kept.all + static_cast<int>(threadIdx.x); empty < out.slots;
       empty += static_cast<int>(blockDim.x)) {
    indices[empty] = 0;
    valid[empty] = false;
  }
}

inline Launch groupLaunch(const NmsBoxes& all, std::int64_t images) {
  return {static_cast<unsigned>(images * all.groupCount), 1, 1, kNmsThreads};
}

inline Launch overlapLaunch(const NmsBoxes& all, std::int64_t images) {
  const auto problems = static_cast<unsigned>(images * all.groupCount),
             words = static_cast<unsigned>(all.words());
  const unsigned blocks = std::max(kNmsTileBlocks / problems, 1U);
  return {problems, std::min(words * (words + 1) / 2, blocks), 1, kNmsBits};
}

inline Launch keepLaunch(const NmsBoxes& all, std::int64_t images) {
  return {static_cast<unsigned>(images * all.groupCount), 1, 1, kNmsThreads,
          static_cast<std::size_t>(all.words()) * sizeof(NmsWord)};
}

inline Launch gatherLaunch(std::int64_t images) {
  return {static_cast<unsigned>(images), 1, 1, kNmsThreads};
}

}  // namespace lockstep::ops
