#include "engine/coco/check/turned_annotation.h"

#include <algorithm>
#include <cmath>

namespace lockstep::coco {

/// Orientations: 5 transposed, 6 turned right to be displayed, 7 transposed about the other
/// diagonal, 8 turned left.
std::array<double, 2> StoredFrame::point(double x, double y) const {
  const auto width = static_cast<double>(stored_.width),
             height = static_cast<double>(stored_.height);
  return {orientation_ <= 6 ? y : width - y,
          orientation_ == 5 || orientation_ == 8 ? x : height - x};
}

std::array<double, 4> StoredFrame::box(const std::array<double, 4>& xywh) const {
  const auto first = point(xywh[0], xywh[1]), second = point(xywh[0] + xywh[2], xywh[1] + xywh[3]);
  return {std::min(first[0], second[0]), std::min(first[1], second[1]), xywh[3], xywh[2]};
}

Segmentation StoredFrame::segmentation(const Segmentation& displayed) const {
  if (const Rle* rle = std::get_if<Rle>(&displayed)) return mask(*rle);
  std::vector<std::vector<double>> polygons = std::get<0>(displayed);
  for (std::vector<double>& xy : polygons) {
    for (std::size_t i = 0; i + 1 < xy.size(); i += 2) {
      const auto turned = point(xy[i], xy[i + 1]);
      xy[i] = turned[0];
      xy[i + 1] = turned[1];
    }
  }
  return polygons;
}

Rle StoredFrame::mask(const Rle& displayed) const {
  const std::vector<std::uint8_t> from = decodeMask(displayed);
  std::vector<std::uint8_t> to(from.size());
  for (int y = 0; y < displayed.height; ++y) {
    for (int x = 0; x < displayed.width; ++x) {
      const auto centre = point(x + 0.5, y + 0.5);
      to[static_cast<std::size_t>(centre[1]) * static_cast<std::size_t>(stored_.width) +
         static_cast<std::size_t>(centre[0])] =
          from[static_cast<std::size_t>(y) * static_cast<std::size_t>(displayed.width) +
               static_cast<std::size_t>(x)];
    }
  }
  return encodeMask(to.data(), static_cast<int>(stored_.height), static_cast<int>(stored_.width),
                    static_cast<std::ptrdiff_t>(stored_.width));
}

}  // namespace lockstep::coco
