#pragma once

#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

namespace lockstep::coco {

/// The detections grouped by image of the dataset, in their order. Throws Error for an unknown
/// image or category id, or a score or box that is not finite.
std::vector<std::vector<const Detection*>> detectionsByImage(
    const Dataset& groundTruth, const std::vector<Detection>& detections);

}  // namespace lockstep::coco
