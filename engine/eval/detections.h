#pragma once

#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/files/results.h"
#include "engine/structures/instances.h"

namespace lockstep::eval {

/// Converts predictions of one image to detections in px of its file, with full-size masks
/// (probability > 0.5), as torchvision's postprocess and paste_masks_in_image; without masks if the
/// model has no mask head. `resized`: the size of the resized image; categories[k-1] is the
/// category of class k.
std::vector<coco::Detection> toDetections(const structures::PredInstances& predictions,
                                          const base::ImageSize& resized,
                                          const base::ImageSize& original, ImageId imageId,
                                          const std::vector<CategoryId>& categories);

}  // namespace lockstep::eval
