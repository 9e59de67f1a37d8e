// What happens between two steps: evaluation, predictions, checkpoints and requests.
#include <torch/types.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/train/prediction_request.h"
#include "engine/train/trainer.h"

namespace lockstep::train {
namespace {

/// Score from which detections of watched images are kept.
constexpr double kWatchedScoreThreshold = 0.05;

std::vector<coco::Detection> detectionsOf(const std::vector<coco::Detection>& detections,
                                          const std::vector<ImageId>& images) {
  const std::unordered_set<ImageId> wanted(images.begin(), images.end());
  std::vector<coco::Detection> chosen;
  std::ranges::copy_if(
      detections, std::back_inserter(chosen),
      [&](const coco::Detection& detection) { return wanted.contains(detection.imageId); });
  return chosen;
}

}  // namespace

void Trainer::atBoundary(const Due& due) {
  if (due.log) flushScalars();
  bool best = false;
  if (due.losses) {
    best = evaluate({.losses = true, .averagePrecision = due.averagePrecision}, due.predictions);
  }
  if (due.predictions && !due.averagePrecision) {
    enter("predicting");
    writePredictions(evaluator_->detect(*model_, watchedImages()));
  }
  if (due.checkpoint || best) {
    saveCheckpoint(best,
                   state_.step == static_cast<std::int64_t>(experiment_.solver.maxSteps.count));
  }
}

bool Trainer::evaluate(const eval::EvaluationRequest& request, bool withPredictions) {
  enter("evaluating");
  context_.observer.onState({"evaluating", state_.step});
  eval::Evaluation evaluation = evaluator_->evaluate(*model_, request);
  evaluation.step = state_.step;
  if (request.averagePrecision) evaluatedStep_ = state_.step;

  protocol::StepScalars scalars{state_.step, base::wallTimeSeconds(),
                                eval::evaluationScalars(evaluation)};
  context_.observer.onSteps({{std::move(scalars)}});
  const bool best = noteBest(evaluation);
  protocol::EvaluationReady ready{.step = state_.step,
                                  .partial = layout_.partialEvaluation(state_.step).string(),
                                  .bestMetric = experiment_.evaluation.bestMetric,
                                  .bestValue = std::nullopt};
  if (best) ready.bestValue = state_.best->value;
  base::writeFileAtomically(ready.partial, eval::toJson(evaluation, /*withPerImage=*/true));
  context_.observer.onEvaluation(ready);
  if (withPredictions && request.averagePrecision) writePredictions(evaluation.detections);
  context_.observer.onState({"running", state_.step});
  return best;
}

bool Trainer::noteBest(const eval::Evaluation& evaluation) {
  const std::string& metric = experiment_.evaluation.bestMetric;
  const std::optional<double> value = eval::metricValue(evaluation, metric);
  if (!value) return false;
  // A resumed run with another best_metric starts to compare anew.
  const bool comparable = state_.best && state_.best->metric == metric;
  if (comparable && !eval::isBetter(metric, *value, state_.best->value)) return false;
  state_.best = {metric, *value, state_.step};
  return true;
}

std::vector<std::size_t> Trainer::watchedImages() const {
  std::vector<std::size_t> indices;
  const std::int64_t count =
      std::min<std::int64_t>(experiment_.monitor.predictionImages, evaluator_->imageCount());
  for (std::int64_t i = 0; i < count; ++i) indices.push_back(i);
  return indices;
}

void Trainer::writePredictions(const std::vector<coco::Detection>& detections) {
  std::vector<ImageId> images;
  for (const std::size_t index : watchedImages()) images.push_back(heldOutSet_->images()[index].id);
  const std::string partial = layout_.partialPredictions(state_.step).string();
  base::writeFileAtomically(partial, eval::predictionsJson(images, kWatchedScoreThreshold,
                                                           detectionsOf(detections, images)));
  context_.observer.onPredictions({state_.step, partial});
}

void Trainer::saveCheckpoint(bool best, bool last) {
  if (savedStep_ == state_.step) return;
  enter("checkpoint");
  const std::filesystem::path partial = layout_.partialCheckpoint(state_.step);
  protocol::CheckpointReady ready{state_.step, partial.string(), best, last, ""};
  try {
    std::filesystem::remove_all(partial);
    checkpoint::saveCheckpoint(partial, model_->namedState(),
                               modelFacts(experiment_.model, trainSet_), optimizer_->state(),
                               state_);
    savedStep_ = state_.step;
  } catch (const std::exception& error) {
    ready.error = error.what();
    std::error_code ignored;
    std::filesystem::remove_all(partial, ignored);
  }
  context_.observer.onCheckpoint(ready);
}

Trainer::Wish Trainer::serveRequests() {
  bool paused = false;
  do {
    for (const protocol::Control& control :
         paused ? context_.mailbox.waitAndTake() : context_.mailbox.take()) {
      if (control.name == "stop") {
        context_.observer.onState({"stopping", state_.step});
        if (!control.id.empty()) context_.observer.onAnswer({control.id, "", ""});
        return Wish::Stop;
      }
      if (control.name == "pause" || control.name == "resume") {
        paused = control.name == "pause";
        flushScalars();
        enter(paused ? "paused" : "data");
        context_.observer.onState({paused ? "paused" : "running", state_.step});
        if (!control.id.empty()) context_.observer.onAnswer({control.id, "", ""});
      } else {
        serve(control);
        if (paused) {
          enter("paused");
          context_.observer.onState({"paused", state_.step});
        }
      }
    }
  } while (paused);
  return Wish::GoOn;
}

void Trainer::serve(const protocol::Control& control) {
  flushScalars();
  protocol::Answer answer{control.id, "", ""};
  if (control.name == "checkpoint") {
    saveCheckpoint(/*best=*/false, /*last=*/false);
    answer.path = layout_.checkpoint(state_.step).string();
    if (savedStep_ != state_.step) answer.error = "the checkpoint could not be written";
  } else if (control.name == "evaluate" && !evaluator_) {
    answer.error = "dataset.val is not given: there is nothing to evaluate on";
  } else if (control.name == "evaluate") {
    if (evaluatedStep_ != state_.step &&
        evaluate({.losses = true, .averagePrecision = true}, false)) {
      saveCheckpoint(/*best=*/true, /*last=*/false);
    }
    answer.path = layout_.evaluation(state_.step).string();
  } else if (control.name == "predict") {
    answerPrediction(control);
    return;
  } else {
    answer.error = "unknown request '" + control.name + "'";
  }
  context_.observer.onAnswer(answer);
}

void Trainer::answerPrediction(const protocol::Control& control) {
  enter("predicting");
  protocol::Answer answer{control.id, control.out, ""};
  try {
    const std::string& weights = control.predict.weights;
    const LoadedModel current{model_, trainLoader_->classes().categories(), {}};
    const PredictionSource source{weights.empty() ? current : otherModel(weights), evaluator_.get(),
                                  experiment_, device_};
    base::writeFileAtomically(control.out, predict(source, control.predict));
  } catch (const Error& error) {
    answer = {control.id, "", error.what()};
  }
  context_.observer.onAnswer(answer);
}

const LoadedModel& Trainer::otherModel(const std::string& weights) {
  if (other_ && weights == otherWeights_) return *other_;
  LoadedModel loaded = loadModel(experiment_, weights, &trainSet_, device_);
  if (loaded.categories != trainLoader_->classes().categories()) {
    throw base::mendable("weights of another data set: " + weights +
                         " knows more categories than this run");
  }
  other_ = std::move(loaded);
  otherWeights_ = weights;
  return *other_;
}

}  // namespace lockstep::train
