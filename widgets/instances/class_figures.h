#pragma once

#include <vector>

#include "widgets/instances/checkpoint_analysis.h"

namespace lockstep::widgets {

/// A class over the predicted images, at a score and an IoU threshold.
struct ClassFigures {
  CategoryId category;
  std::size_t images = 0;   ///< with an object of the class
  std::size_t objects = 0;  ///< without crowds
  coco::Counts counts;
  double ap = -1;  ///< at this IoU, of the detections that reach the score; -1: no objects
};

/// Of the classes that have objects or detections, in any order. `scoreThreshold`: AP is that of
/// coco-eval on such a file, to the last bit. Blocks; call it from any thread.
std::vector<ClassFigures> classFiguresOf(const CheckpointAnalysis& analysis, double scoreThreshold);

}  // namespace lockstep::widgets
