#pragma once

#include <cstdint>
#include <type_traits>

/// How kernels read channels_last maps: neighbouring channels together.
namespace lockstep::ops {

/// The most that a thread loads or stores at once.
constexpr int kPackBytes = 16;

/// Neighbouring channels that a thread loads and stores at once.
template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) Pack {
  T values[kCount];
};

template <typename T>
constexpr int kPackCount = kPackBytes / static_cast<int>(sizeof(T));

/// What a kernel computes in for maps of T.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Whether a map of so many channels can be read in packs from `first` on.
template <typename T>
bool hasPacks(const T* first, std::int64_t channels) {
  return channels % kPackCount<T> == 0 && reinterpret_cast<std::uintptr_t>(first) % kPackBytes == 0;
}

}  // namespace lockstep::ops
