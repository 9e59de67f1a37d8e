#pragma once

#include <array>
#include <cstddef>

/// COCO's parameters of an evaluation (pycocotools' Params).
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

/// COCO's sizes of objects, by area.
enum class ObjectSize : std::size_t { All, Small, Medium, Large };

inline constexpr std::size_t kObjectSizeCount = 4;
inline constexpr std::array<const char*, kObjectSizeCount> kObjectSizeNames{"all", "small",
                                                                            "medium", "large"};

/// Minimum and maximum area of each size, px, both inclusive as in pycocotools. Areas over 1e10 px
/// are in no range.
inline constexpr std::array<std::array<double, 2>, kObjectSizeCount> kObjectSizesPx{
    {{0, 1e10}, {0, 32.0 * 32.0}, {32.0 * 32.0, 96.0 * 96.0}, {96.0 * 96.0, 1e10}}};

constexpr bool isOfSize(double areaPx, ObjectSize size) {
  const auto& range = kObjectSizesPx[static_cast<std::size_t>(size)];
  return !(areaPx < range[0] || areaPx > range[1]);  // true for NaN
}

}  // namespace lockstep::coco
