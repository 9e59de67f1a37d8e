#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::tests {

/// A rectangle as a polygon.
inline coco::Annotation boxAnnotation(std::int64_t id, std::int64_t image, std::int64_t category,
                                      std::array<double, 4> xywh, bool isCrowd = false) {
  const double left = xywh[0], top = xywh[1], right = left + xywh[2], bottom = top + xywh[3];
  coco::Annotation annotation;
  annotation.id = id;
  annotation.imageId = {image};
  annotation.categoryId = {category};
  annotation.boxXywh = xywh;
  annotation.area = xywh[2] * xywh[3];
  annotation.isCrowd = isCrowd;
  annotation.segmentation =
      std::vector<std::vector<double>>{{left, top, right, top, right, bottom, left, bottom}};
  return annotation;
}

}  // namespace lockstep::tests
