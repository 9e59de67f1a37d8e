#pragma once

#include <cstddef>
#include <vector>

#include "widgets/instances/instance_match.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::widgets {

/// Which of two results find an object.
enum class Finders { Both, OnlyFirst, OnlySecond, Neither };

/// An object of an image that both results are of.
struct PairedObject {
  std::size_t imageIndex = 0;  ///< in dataset.images()
  int annotation = 0;          ///< in annotationsOf(imageIndex)
  Finders finders = Finders::Both;
};

/// Every object that counts (no crowds), in the order of the dataset, of the images that both have.
/// Found: matched at the thresholds as in COCO's evaluation. On all processors; blocks; throws
/// Error for a detection that cannot be matched.
std::vector<PairedObject> pairedObjects(const coco::Dataset& dataset,
                                        const PredictionStore::ByImage& first,
                                        const PredictionStore::ByImage& second,
                                        const MatchRules& rules, const MatchThresholds& thresholds);

}  // namespace lockstep::widgets
