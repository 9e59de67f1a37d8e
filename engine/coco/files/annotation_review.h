#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

/// Objects with the same doubt.
struct Doubt {
  std::size_t count = 0;
  std::vector<std::int64_t> firstIds;  ///< of annotations
};

/// What is doubtful in annotations that can be read. Each is under the first doubt that fits.
struct AnnotationReview {
  std::size_t objects = 0;  ///< no crowds
  Doubt absurd;             ///< numbers far beyond any image: 1e30
  Doubt corners;  ///< boxes that fit their masks read as [x0, y0, x1, y1] and not as they should
  Doubt outside;  ///< boxes that reach out of their image by more than a rounding
  Doubt offMask;  ///< boxes that lie elsewhere than their masks
  std::size_t leaving = 0;  ///< boxes of any doubt that reach out of their image
};

/// Looks at the corners of masks alone: as quick as reading the file.
AnnotationReview reviewAnnotations(const Dataset& dataset);

}  // namespace lockstep::coco
