#pragma once

#include <cstdint>
#include <type_traits>

/// Vectorised access to channels_last maps: adjacent channels in one load.
namespace lockstep::ops {

/// Maximum bytes per load or store of a thread.
constexpr int kPackBytes = 16;

/// Adjacent channels that a thread loads and stores at once.
template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) Pack {
  T values[kCount];
};

template <typename T>
constexpr int kPackCount = kPackBytes / static_cast<int>(sizeof(T));

/// The accumulation type for maps of T.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Whether a map with this many channels can be read in packs, starting at `first`.
template <typename T>
bool hasPacks(const T* first, std::int64_t channels) {
  return channels % kPackCount<T> == 0 && reinterpret_cast<std::uintptr_t>(first) % kPackBytes == 0;
}

}  // namespace lockstep::ops
