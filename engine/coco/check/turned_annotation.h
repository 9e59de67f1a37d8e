#pragma once

#include <array>

#include "engine/base/image_size.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

/// From an image as displayed to the image as stored, whose EXIF orientation is 5 … 8. `stored`:
/// its height and width; boxes and masks are of the image as displayed.
class StoredFrame {
 public:
  StoredFrame(int exifOrientation, base::ImageSize stored)
      : orientation_(exifOrientation), stored_(stored) {}

  std::array<double, 4> box(const std::array<double, 4>& xywh) const;
  Segmentation segmentation(const Segmentation& displayed) const;

 private:
  std::array<double, 2> point(double x, double y) const;
  Rle mask(const Rle& displayed) const;

  int orientation_;
  base::ImageSize stored_;
};

}  // namespace lockstep::coco
