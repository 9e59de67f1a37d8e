#pragma once

#include "engine/base/error.h"
#include "engine/model/mask_rcnn.h"
#include "engine/train/step_recorder.h"
#include "engine/train/training.h"

namespace lockstep::train {

/// The error of a step whose loss or gradient is not finite. Rank 0 leaves in the run folder what
/// is needed to replay the step's batch. Called on all ranks.
Error divergenceError(const Training& training, model::MaskRcnn& model,
                      const StepRecorder::NonFiniteStep& step);

}  // namespace lockstep::train
