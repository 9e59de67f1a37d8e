#pragma once

#include <array>

#include "engine/base/image_size.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

/// From an image as its EXIF orientation displays it to the image as stored. `stored`: its height
/// and width; boxes and masks are of the image as displayed.
class StoredFrame {
 public:
  StoredFrame(int exifOrientation, base::ImageSize stored)
      : orientation_(exifOrientation), stored_(stored) {}
  /// The way back, from stored to displayed. `displayed`: height and width as displayed.
  static StoredFrame reversed(int exifOrientation, base::ImageSize displayed);

  std::array<double, 4> box(const std::array<double, 4>& xywh) const;
  /// Where a pixel comes to lie; both from 0, as COCO's keypoints are.
  std::array<double, 2> pixel(double x, double y) const;
  Segmentation segmentation(const Segmentation& displayed) const;

 private:
  std::array<double, 2> point(double x, double y) const;
  Rle mask(const Rle& displayed) const;

  int orientation_;
  base::ImageSize stored_;
};

}  // namespace lockstep::coco
