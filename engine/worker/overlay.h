#pragma once

#include <vector>

#include "engine/coco/files/results.h"
#include "engine/data/image_file.h"
#include "engine/train/loaded_model.h"

namespace lockstep::worker {

/// Draws masks (tinted, outlined), boxes and `name score` labels over a picture, the best on top. A
/// class keeps its colour.
void drawDetections(data::RgbImage& image, const std::vector<coco::Detection>& detections,
                    const train::LoadedModel& loaded);

}  // namespace lockstep::worker
