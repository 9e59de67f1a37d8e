#pragma once

#include <cstdint>

#include "engine/ops/box_iou.cuh"
#include "engine/ops/host_device.h"

/// Kernels of nms.cu. Letters: N images, A candidates of an image, K that may be kept.
namespace lockstep::ops {

using NmsWord = unsigned long long;
constexpr int kNmsBits = 64;         // boxes whose suppression one word of the mask holds
constexpr int kMostNmsWords = 4096;  // of a row
constexpr int kNmsRowsAtOnce = 8;    // whose words are on their way together

/// The candidates of all images. Sorted: an image's best score first, those not there last.
struct NmsBoxes {
  const float4* boxes;         // [N,A]
  const std::int64_t* groups;  // [N,A]
  const std::int64_t* order;   // [N,A], which candidate each of the sorted ones is
  const std::int64_t* counts;  // [N], of those that are there
  int size;                    // A

  LOCKSTEP_HOST_DEVICE int words() const { return (size + kNmsBits - 1) / kNmsBits; }
};

/// mask [N,A,words]: bit j of row i says that sorted box j comes after box i, is of its group and
/// overlaps it too much. A block has 64 rows (y) and 64 columns (x) of an image (z); blocks below
/// the diagonal and beyond the count have nothing to say and are not read.
inline __global__ void overlapKernel(NmsBoxes all, float threshold, NmsWord* mask) {
  __shared__ float4 columns[kNmsBits];
  __shared__ std::int64_t columnGroups[kNmsBits];
  const int image = static_cast<int>(blockIdx.z), count = static_cast<int>(all.counts[image]);
  const int firstRow = static_cast<int>(blockIdx.y) * kNmsBits,
            firstColumn = static_cast<int>(blockIdx.x) * kNmsBits;
  if (blockIdx.x < blockIdx.y || firstRow >= count || firstColumn >= count) return;
  const float4* boxes = all.boxes + static_cast<std::int64_t>(image) * all.size;
  const std::int64_t* groups = all.groups + static_cast<std::int64_t>(image) * all.size;
  const std::int64_t* order = all.order + static_cast<std::int64_t>(image) * all.size;
  for (int i = static_cast<int>(threadIdx.x); i < kNmsBits && firstColumn + i < count;
       i += static_cast<int>(blockDim.x)) {
    columns[i] = boxes[order[firstColumn + i]];
    columnGroups[i] = groups[order[firstColumn + i]];
  }
  __syncthreads();
  for (int r = static_cast<int>(threadIdx.x); r < kNmsBits && firstRow + r < count;
       r += static_cast<int>(blockDim.x)) {
    const int row = firstRow + r;
    const float4 own = boxes[order[row]];
    const std::int64_t group = groups[order[row]];
    NmsWord bits = 0;
    for (int i = 0; i < kNmsBits && firstColumn + i < count; ++i) {
      const bool isLater = firstColumn + i > row;
      if (isLater && columnGroups[i] == group && boxIou(own, columns[i]) > threshold)
        bits |= NmsWord{1} << i;
    }
    mask[(static_cast<std::int64_t>(image) * all.size + row) * all.words() + blockIdx.x] = bits;
  }
}

/// The word `later` of the rows of 64 boxes that are set in `kept`, together.
inline __device__ NmsWord suppressedBy(NmsWord kept, const NmsWord* rows, int words, int later) {
  NmsWord gone = 0;
  while (kept != 0) {
    NmsWord some[kNmsRowsAtOnce];
    for (int i = 0; i < kNmsRowsAtOnce; ++i) {
      const int row = __ffsll(static_cast<long long>(kept)) - 1;  // -1 where none is left
      some[i] = row < 0 ? 0 : rows[static_cast<std::int64_t>(row) * words + later];
      kept &= kept - 1;
    }
    for (int i = 0; i < kNmsRowsAtOnce; ++i) gone |= some[i];
  }
  return gone;
}

struct NmsKept {
  int slots;              // K
  std::int64_t* indices;  // [N,K]
  bool* valid;            // [N,K]
};

/// One block an image. Takes 64 boxes at a time: one thread settles these among themselves, then
/// all threads share the later words of what the kept ones suppress.
inline __global__ void keepKernel(NmsBoxes all, const NmsWord* mask, NmsKept out) {
  __shared__ NmsWord suppressed[kMostNmsWords];
  __shared__ NmsWord diagonal[kNmsBits];
  __shared__ NmsWord kept;
  const int image = static_cast<int>(blockIdx.x), count = static_cast<int>(all.counts[image]);
  const int words = all.words(), first = static_cast<int>(threadIdx.x),
            threads = static_cast<int>(blockDim.x);
  const NmsWord* rows = mask + static_cast<std::int64_t>(image) * all.size * words;
  const std::int64_t* order = all.order + static_cast<std::int64_t>(image) * all.size;
  std::int64_t* indices = out.indices + static_cast<std::int64_t>(image) * out.slots;
  bool* valid = out.valid + static_cast<std::int64_t>(image) * out.slots;
  for (int word = first; word < words; word += threads) suppressed[word] = 0;
  int filled = 0;  // slots; the same in every thread
  for (int word = 0; word * kNmsBits < count && filled < out.slots; ++word) {
    const int size = count - word * kNmsBits < kNmsBits ? count - word * kNmsBits : kNmsBits;
    const NmsWord* own = rows + static_cast<std::int64_t>(word) * kNmsBits * words;
    for (int i = first; i < size; i += threads)
      diagonal[i] = own[static_cast<std::int64_t>(i) * words + word];
    __syncthreads();
    if (first == 0) {
      const NmsWord there = size < kNmsBits ? (NmsWord{1} << size) - 1 : ~NmsWord{0};
      NmsWord left = there & ~suppressed[word], stays = 0;
      for (int room = out.slots - filled; left != 0 && room > 0; --room) {
        const int i = __ffsll(static_cast<long long>(left)) - 1;
        stays |= NmsWord{1} << i;
        left &= ~(diagonal[i] | NmsWord{1} << i);
      }
      kept = stays;
    }
    __syncthreads();
    const NmsWord stays = kept;
    for (int i = first; i < size; i += threads) {
      if ((stays >> i & 1) == 0) continue;
      const int slot = filled + __popcll(stays & ((NmsWord{1} << i) - 1));
      indices[slot] = order[word * kNmsBits + i];
      valid[slot] = true;
    }
    filled += __popcll(stays);
    for (int later = word + 1 + first; later * kNmsBits < count; later += threads)
      suppressed[later] |= suppressedBy(stays, own, words, later);
    __syncthreads();
  }
  for (int slot = filled + first; slot < out.slots; slot += threads) {
    indices[slot] = 0;
    valid[slot] = false;
  }
}

}  // namespace lockstep::ops
