#pragma once

#include <cstdint>

/// Block-wide selection of the smallest entries (top-k).
namespace lockstep::ops {

/// Entries are compared by key and then by index, which is unique: the selection is deterministic.
struct SelectEntry {
  std::uint64_t key;
  std::uint32_t index;
};

inline __device__ bool isBefore(const SelectEntry& a, const SelectEntry& b) {
  return a.key < b.key || (a.key == b.key && a.index < b.index);
}

constexpr int kSelectMost = 2048;  // maximum number to select; a power of two
constexpr int kSelectBins = 256;
constexpr int kSelectGroup = 16;   // bins that one thread adds up
constexpr int kSelectDigits = 12;  // of 8 bits: eight of the key, four of the index

/// Shared memory of a block.
struct SelectSpace {
  std::uint64_t keys[kSelectMost];
  std::uint32_t indices[kSelectMost];
  int bins[kSelectBins], groups[kSelectBins / kSelectGroup];
  int bin, below, inBin, found;

  __device__ SelectEntry entry(int i) const { return {keys[i], indices[i]}; }
  __device__ void set(int i, const SelectEntry& entry) {
    keys[i] = entry.key;
    indices[i] = entry.index;
  }
};

inline __device__ int digitOf(const SelectEntry& entry, int digit) {
  return static_cast<int>(digit < 8 ? entry.key >> (56 - 8 * digit) & 255U
                                    : entry.index >> (88 - 8 * digit) & 255U);
}

inline __device__ SelectEntry withDigit(SelectEntry entry, int digit, int value) {
  const auto word = static_cast<std::uint64_t>(value);
  if (digit < 8) {
    const int shift = 56 - 8 * digit;
    entry.key = (entry.key & ~(std::uint64_t{255} << shift)) | word << shift;
  } else {
    const int shift = 88 - 8 * digit;
    entry.index = (entry.index & ~(255U << shift)) | static_cast<std::uint32_t>(word) << shift;
  }
  return entry;
}

/// Finds the first bin up to which, with those below all bins, there are `most`, or else the last.
inline __device__ void findBin(int most, int below, SelectSpace& space) {
  constexpr int kGroups = kSelectBins / kSelectGroup;
  for (int group = static_cast<int>(threadIdx.x); group < kGroups;
       group += static_cast<int>(blockDim.x)) {
    int sum = 0;
    for (int i = 0; i < kSelectGroup; ++i) sum += space.bins[group * kSelectGroup + i];
    space.groups[group] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int group = 0;
    while (group + 1 < kGroups && below + space.groups[group] < most)
      below += space.groups[group++];
    int bin = group * kSelectGroup;
    const int last = bin + kSelectGroup - 1;
    while (bin < last && below + space.bins[bin] < most) below += space.bins[bin++];
    space.bin = bin;
    space.below = below;
    space.inBin = space.bins[bin];
  }
  __syncthreads();
}

/// Radix select: finds an upper bound of the smallest `most` entries, which at most kSelectMost
/// entries do not exceed. Goes from the highest digit down with a histogram per digit.
template <typename Source>
__device__ SelectEntry findBound(const Source& source, int most, SelectSpace& space) {
  SelectEntry low{0, 0}, high{~std::uint64_t{0}, ~std::uint32_t{0}};
  int below = 0;  // entries before `low`
  for (int digit = 0; digit < kSelectDigits; ++digit) {
    for (int i = static_cast<int>(threadIdx.x); i < kSelectBins; i += static_cast<int>(blockDim.x))
      space.bins[i] = 0;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < source.count;
         i += static_cast<int>(blockDim.x)) {
      SelectEntry entry;
      if (source.read(i, entry) && !isBefore(entry, low) && !isBefore(high, entry))
        atomicAdd(&space.bins[digitOf(entry, digit)], 1);
    }
    __syncthreads();
    findBin(most, below, space);
    low = withDigit(low, digit, space.bin);
    high = withDigit(high, digit, space.bin);
    below = space.below;
    if (below + space.inBin <= kSelectMost) break;
  }
  return high;
}

/// Bitonic sort of entries 0 … count-1 of the space, which has capacity up to the next power of
/// two.
inline __device__ void sortEntries(int count, SelectSpace& space) {
  int padded = 1;
  while (padded < count) padded *= 2;
  for (int i = count + static_cast<int>(threadIdx.x); i < padded; i += static_cast<int>(blockDim.x))
    space.set(i, {~std::uint64_t{0}, ~std::uint32_t{0}});
  __syncthreads();
  for (int size = 2; size <= padded; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      for (int i = static_cast<int>(threadIdx.x); i < padded / 2;
           i += static_cast<int>(blockDim.x)) {
        const int first = 2 * i - (i & (step - 1)), second = first + step;
        const SelectEntry a = space.entry(first), b = space.entry(second);
        const bool isRising = (first & size) == 0;
        if (isRising ? isBefore(b, a) : isBefore(a, b)) {
          space.set(first, b);
          space.set(second, a);
        }
      }
      __syncthreads();
    }
  }
}

/// Writes the smallest entries of the source to the front of the space in ascending order and
/// returns their number: `most` (up to kSelectMost), or all there are. All threads of the block
/// must call it, with __syncthreads between calls. Source: `count`, and read(i, entry), which
/// returns whether entry i exists.
template <typename Source>
__device__ int selectSmallest(const Source& source, int most, SelectSpace& space) {
  if (most == 0) return 0;  // the same for all threads
  const SelectEntry bound = findBound(source, most, space);
  if (threadIdx.x == 0) space.found = 0;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < source.count; i += static_cast<int>(blockDim.x)) {
    SelectEntry entry;
    if (source.read(i, entry) && !isBefore(bound, entry))
      space.set(atomicAdd(&space.found, 1), entry);
  }
  __syncthreads();
  const int found = space.found;
  sortEntries(found, space);
  return found < most ? found : most;
}

}  // namespace lockstep::ops
