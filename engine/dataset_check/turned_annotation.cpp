#include "engine/dataset_check/turned_annotation.h"

#include <algorithm>

#include "engine/coco/masks/mask_geometry.h"

namespace lockstep::dataset_check {

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

std::array<double, 2> StoredFrame::pixel(double x, double y) const {
  const auto centre = point(x + 0.5, y + 0.5);
  return {centre[0] - 0.5, centre[1] - 0.5};
}

coco::Segmentation StoredFrame::segmentation(const coco::Segmentation& displayed) const {
  if (const coco::Rle* rle = std::get_if<coco::Rle>(&displayed)) return mask(*rle);
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

coco::Rle StoredFrame::mask(const coco::Rle& displayed) const {
  const base::ImageSize size{.height = displayed.height, .width = displayed.width};
  const int quarterTurns = orientation_ == 5 || orientation_ == 8 ? 1 : 3;
  const bool isMirrored = orientation_ == 5 || orientation_ == 7;
  return coco::placed(coco::flipped(coco::turned(coco::crop(displayed), size, quarterTurns),
                                    stored_, isMirrored, false),
                      stored_);
}

}  // namespace lockstep::dataset_check
