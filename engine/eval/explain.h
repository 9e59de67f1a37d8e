#pragma once

#include <functional>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/data/batch.h"
#include "engine/explanation/explanation.h"
#include "engine/model/mask_rcnn.h"

namespace lockstep::eval {

/// How the model's detections of an image, a batch of one, came about; they equal those of
/// toDetections(model.detect()) to the last bit. `settings`: of the model; categories[k-1] is the
/// category of class k. afterStage: as for model.explain(), and while it is told. Call it in eval()
/// and under at::NoGradGuard.
explanation::Explanation explainImage(
    model::MaskRcnn& model, const data::Batch& image, const config::ModelConfig& settings,
    const std::vector<CategoryId>& categories, const std::function<void()>& afterStage = [] {});

}  // namespace lockstep::eval
