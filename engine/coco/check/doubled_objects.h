#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

/// Over this IoU two objects of one class are the same object, annotated twice.
inline constexpr double kDoubledIou = 0.6;

struct DoubledObject {
  std::size_t kept = 0,
              doubled = 0;  ///< indices of annotations; the doubled one is smaller, or later
  double iou = 0;
};

/// Pairs of one class with a mask IoU over kDoubledIou, ordered by the doubled one. Without crowds.
/// masks[i] is that of annotations[i].
std::vector<DoubledObject> findDoubledObjects(std::span<const Annotation> annotations,
                                              std::span<const Rle> masks);

}  // namespace lockstep::coco
