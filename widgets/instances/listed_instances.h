#pragma once

#include <cstddef>
#include <vector>

#include "widgets/instances/image_order.h"
#include "widgets/instances/verdict.h"

namespace lockstep::widgets {

/// A detection or a missed object of an image of the dataset, without its box and its mask: of a
/// large dataset there are very many.
struct ListedInstance {
  std::size_t image = 0;  ///< in dataset.images()
  CategoryId category;
  Verdict verdict = Verdict::TruePositive;
  int detection = -1;   ///< index on its image; -1: of a missed object
  int annotation = -1;  ///< likewise; -1: of a detection
  double score = 0;     ///< NaN: of a missed object

  bool operator==(const ListedInstance& other) const {
    return image == other.image && verdict == other.verdict && detection == other.detection &&
           annotation == other.annotation;
  }
};

/// What images are asked for, image by image in the given order: missed objects, false and true
/// positives, each by falling score. Without errors in what is asked for it is all that is judged.
/// Blocks; call it from any thread.
std::vector<ListedInstance> listedInstances(const coco::Dataset& dataset,
                                            const CheckpointAnalysis& analysis,
                                            const ImageOrder& order,
                                            const std::vector<std::size_t>& images);

}  // namespace lockstep::widgets
