#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::dataset_check {

/// Over this mask IoU two objects of one class are the same object, annotated twice. Objects that
/// have only boxes: from this box IoU on, as the boxes of neighbours overlap more than their masks.
inline constexpr double kDoubledIou = 0.6, kDoubledBoxIou = 0.95;

struct DoubledObject {
  std::size_t kept = 0,
              doubled = 0;  ///< indices of annotations; the doubled one is smaller, or later
  double iou = 0;           ///< of their masks, or of their boxes if they have none
};

/// The objects that are the same as a larger (or earlier) one of their class, ordered; each once,
/// with one that is not doubled itself: without those found, no two are the same. An object with
/// only a box is not compared with one that has a mask. Without crowds. masks[i] is that of
/// annotations[i].
std::vector<DoubledObject> findDoubledObjects(std::span<const coco::Annotation> annotations,
                                              std::span<const coco::Rle> masks);

}  // namespace lockstep::dataset_check
