#pragma once

#include <memory>
#include <optional>
#include <set>
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

/// What the thresholds and the hidden classes leave of a checkpoint.
struct CheckpointFigures {
  std::shared_ptr<const CheckpointAnalysis> of;
  std::vector<ClassFigures> classes;  ///< also the hidden ones; none if there is no truth
  /// By the images of the dataset; std::nullopt: it was not predicted, or cannot be matched.
  std::vector<std::optional<coco::Counts>> images;
};

/// Blocks; call it from any thread.
CheckpointFigures figuresOf(std::shared_ptr<const CheckpointAnalysis> analysis,
                            const coco::Dataset& dataset, double scoreThreshold,
                            const std::set<CategoryId>& hidden);

}  // namespace lockstep::widgets
