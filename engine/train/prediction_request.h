#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/eval/evaluator.h"
#include "engine/protocol/worker_messages.h"
#include "engine/train/loaded_model.h"
#include "engine/train/mailbox.h"

namespace lockstep::train {

/// Model and data for a prediction request.
struct PredictionSource {
  const LoadedModel& loaded;
  /// Of a part of the dataset, with the model's classes; null: the experiment has no such part.
  std::function<const data::SampleLoader*(protocol::Split)> loader;
  const config::Experiment& experiment;
  eval::EvaluatorOptions options;
};

/// Detections with a score of at least the request's, on images of the held-out set by id, on
/// files (ids 1 … n in order) or on all images of a part, as the JSON of predictions/step-N.json.
/// Its score_threshold is the higher of the request's and the model's own. Throws Error for an
/// unknown id or an image that cannot be read, whatever dataset.bad_images says; of a whole part,
/// images that it skips are not among the image_ids; likewise files,
/// unless none of them can be read. `progress` may throw to end it.
std::string predict(const PredictionSource& source, const protocol::PredictRequest& request,
                    const eval::Progress& progress = {});

/// How the detections of an image come about, as the JSON of engine/explanation; they are those of
/// predict() with score_threshold 0. Throws Error as predict().
std::string explain(const PredictionSource& source, const protocol::ExplainRequest& request,
                    const eval::Progress& progress = {});

/// Throws Error if the control `id` is cancelled, or if a stop waits.
void throwIfCancelled(const Mailbox& mailbox, const std::string& id);
/// Tells how far the control `id` is, at most ten times a second, and throws as throwIfCancelled().
/// `send` is called from any thread.
eval::Progress progressOf(const std::string& id, const Mailbox& mailbox,
                          std::function<void(const protocol::WorkerMessage&)> send);

}  // namespace lockstep::train
