#pragma once

#include <array>

#include "engine/base/image_size.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::dataset_check {

/// From an image as displayed to the image as stored, whose EXIF orientation is 5 … 8. `stored`:
/// its height and width; boxes and masks are of the image as displayed.
class StoredFrame {
 public:
  StoredFrame(int exifOrientation, base::ImageSize stored)
      : orientation_(exifOrientation), stored_(stored) {}

  std::array<double, 4> box(const std::array<double, 4>& xywh) const;
  /// Where a pixel comes to lie; both from 0, as COCO's keypoints are.
  std::array<double, 2> pixel(double x, double y) const;
  coco::Segmentation segmentation(const coco::Segmentation& displayed) const;

 private:
  std::array<double, 2> point(double x, double y) const;
  coco::Rle mask(const coco::Rle& displayed) const;

  int orientation_;
  base::ImageSize stored_;
};

}  // namespace lockstep::dataset_check
