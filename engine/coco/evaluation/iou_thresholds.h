#pragma once

#include <array>
#include <cstddef>

namespace lockstep::coco {

/// numpy's linspace(first, last, N), to the last bit.
template <std::size_t N>
constexpr std::array<double, N> evenlySpaced(double first, double last) {
  std::array<double, N> values{};
  const double step = (last - first) / static_cast<double>(N - 1);
  for (std::size_t i = 0; i < N; ++i) values[i] = static_cast<double>(i) * step + first;
  values[N - 1] = last;
  return values;
}

/// 0.5, 0.55 … 0.95.
inline constexpr auto kIouThresholds = evenlySpaced<10>(.5, .95);
inline constexpr std::size_t kThreshold50 = 0, kThreshold75 = 5;

/// 0, 0.01 … 1.
inline constexpr auto kRecallThresholds = evenlySpaced<101>(0, 1);

}  // namespace lockstep::coco
