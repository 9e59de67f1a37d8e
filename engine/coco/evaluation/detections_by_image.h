#pragma once

#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

namespace lockstep::coco {

/// The detections of each image of the data set, in their order. Throws Error for one of an image
/// or category that the data set does not name, or whose score or box is not finite.
std::vector<std::vector<const Detection*>> detectionsByImage(
    const Dataset& groundTruth, const std::vector<Detection>& detections);

}  // namespace lockstep::coco
