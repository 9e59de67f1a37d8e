#pragma once

#include <array>
#include <cstddef>

namespace lockstep::coco {

/// COCO's sizes of objects, by area.
enum class ObjectSize : std::size_t { All, Small, Medium, Large };

inline constexpr std::size_t kObjectSizeCount = 4;
inline constexpr std::array<const char*, kObjectSizeCount> kObjectSizeNames{"all", "small",
                                                                            "medium", "large"};

/// Least and most area of each size, px; both ends belong to it, as in pycocotools. Nothing counts
/// above 1e10 px.
inline constexpr std::array<std::array<double, 2>, kObjectSizeCount> kObjectSizesPx{
    {{0, 1e10}, {0, 32.0 * 32.0}, {32.0 * 32.0, 96.0 * 96.0}, {96.0 * 96.0, 1e10}}};

constexpr bool isOfSize(double areaPx, ObjectSize size) {
  const auto& range = kObjectSizesPx[static_cast<std::size_t>(size)];
  return !(areaPx < range[0] || areaPx > range[1]);  // so an area that is no number counts
}

}  // namespace lockstep::coco
