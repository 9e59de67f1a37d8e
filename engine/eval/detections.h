#pragma once

#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/files/results.h"
#include "engine/structures/instances.h"

namespace lockstep::eval {

/// Predictions of one image in px of its file, with masks at full size (probability over 0.5): what
/// torchvision's postprocess and paste give. `seen` is the size the model saw; categories[k-1] is
/// that of class k.
std::vector<coco::Detection> toDetections(const structures::PredInstances& predictions,
                                          const base::ImageSize& seen,
                                          const base::ImageSize& original, ImageId imageId,
                                          const std::vector<CategoryId>& categories);

}  // namespace lockstep::eval
