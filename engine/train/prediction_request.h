#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "engine/eval/evaluator.h"
#include "engine/protocol/messages.h"
#include "engine/train/loaded_model.h"

namespace lockstep::train {

/// Model and data for a prediction request.
struct PredictionSource {
  const LoadedModel& loaded;
  const eval::Evaluator* heldOut;  ///< images by id; null: paths only
  const config::Experiment& experiment;
  at::Device device;
  int loaderThreads = 1;  ///< as eval::EvaluatorOptions::loaderThreads
};

/// Detections with a score of at least the request's, on images of the held-out set by id or on
/// files (ids 1 … n in order), as the JSON of predictions/step-N.json. Its score_threshold is
/// the higher of the request's and the model's own. Throws Error for an unknown id or an
/// image that cannot be read, whatever dataset.bad_images says.
std::string predict(const PredictionSource& source, const protocol::PredictRequest& request,
                    const eval::Progress& progress = {});

}  // namespace lockstep::train
