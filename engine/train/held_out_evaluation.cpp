#include "engine/train/held_out_evaluation.h"

#include <torch/types.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/events/tags.h"
#include "engine/train/early_stop.h"
#include "engine/train/shared_errors.h"

namespace lockstep::train {
namespace {

using protocol::Phase;
using protocol::RunState;

std::vector<coco::Detection> detectionsOn(const std::vector<coco::Detection>& detections,
                                          const std::vector<ImageId>& images) {
  const std::unordered_set<ImageId> wanted(images.begin(), images.end());
  std::vector<coco::Detection> chosen;
  std::ranges::copy_if(
      detections, std::back_inserter(chosen),
      [&](const coco::Detection& detection) { return wanted.contains(detection.imageId); });
  return chosen;
}

}  // namespace

eval::EvaluatorOptions evaluatorOptions(const Training& training) {
  const config::Experiment& experiment = training.experiment;
  return {.lossWeights = experiment.solver.lossWeights,
          .seed = static_cast<std::uint64_t>(experiment.runtime.seed),
          .device = training.device,
          .threads = experiment.runtime.cpuThreads,
          .loaderThreads = training.loaderThreads,
          .maxImages = experiment.evaluation.maxImages,
          .params = config::apParams(experiment.evaluation)};
}

HeldOutEvaluation::HeldOutEvaluation(Training& training, TrainingModel& model, BadImages& badImages)
    : training_(training), model_(model), badImages_(badImages), pictures_(training) {
  if (!training.data.heldOutLoader) return;
  eval::EvaluatorOptions options = evaluatorOptions(training);
  options.world = &training.context.world;
  options.skipsBadImages = training.experiment.dataset.skipsBadImages();
  evaluator_ = std::make_unique<eval::Evaluator>(*training.data.heldOutLoader, options);
}

bool HeldOutEvaluation::run(const config::Due& due) {
  bool isBest = false;
  if (due.losses) {
    isBest = evaluate({.figures = {.losses = true, .averagePrecision = due.averagePrecision},
                       .writesPredictions = due.predictions && due.averagePrecision});
  }
  if (due.predictions && !due.averagePrecision) predict();
  return isBest;
}

bool HeldOutEvaluation::evaluateOnRequest() {
  return evaluate(
      {.figures = {.losses = true, .averagePrecision = true}, .countsForEarlyStop = false});
}

bool HeldOutEvaluation::evaluate(const Options& options) {
  training_.enter(Phase::Evaluating);
  training_.sendState(RunState::Evaluating);
  model_.shareNormStatistics();
  bool isBest = false;
  {
    std::unique_ptr<solver::WeightAverage::InPlace> average;
    runWithSharedErrors(training_, [&] { average = model_.averageInPlace(); });
    runWithSharedErrors(training_, [&] {
      eval::Evaluation evaluation =
          evaluator_->evaluate(*model_.model(), options.figures, training_.countImages());
      average.reset();
      evaluation.step = training_.state.step;
      badImages_.reportHeldOut(evaluation.badImages);
      if (training_.isRankZero()) isBest = keep(evaluation, options);
    });
  }
  training_.stopsEarly = answerOfRankZero(
      training_.context.world, training_.state.stopsEarly(training_.experiment.evaluation));
  training_.sendState(RunState::Running);
  return isBest;
}

void HeldOutEvaluation::predict() {
  training_.enter(Phase::Predicting);
  model_.shareNormStatistics();
  std::unique_ptr<solver::WeightAverage::InPlace> average;
  runWithSharedErrors(training_, [&] { average = model_.averageInPlace(); });
  runWithSharedErrors(training_, [&] {
    const config::MonitorConfig& monitor = training_.experiment.monitor;
    const int count = std::max(monitor.predictionImages, monitor.summaryImages);
    const eval::Detected found =
        evaluator_->detect(*model_.model(), firstImages(count), training_.countImages());
    badImages_.reportHeldOut(found.badImages);
    if (training_.isRankZero()) writePredictions(found);
  });
}

bool HeldOutEvaluation::keep(const eval::Evaluation& evaluation, const Options& options) {
  const config::EvaluationConfig& config = training_.experiment.evaluation;
  if (options.countsForEarlyStop && !training_.state.stopsEarly(config))
    countForEarlyStop(config, evaluation, training_.state.earlyStop);
  sendScalars(evaluation);
  warnPastLimit(evaluation);
  const bool isBest = write(evaluation);
  if (options.writesPredictions) writePredictions({evaluation.detections, evaluation.badImages});
  return isBest;
}

void HeldOutEvaluation::sendScalars(const eval::Evaluation& evaluation) {
  const std::int64_t step = training_.state.step;
  auto values = eval::evaluationScalars(evaluation);
  // When AP is requested later at the same step, the losses are the same: they are logged once.
  if (training_.lossesStep == step)
    std::erase_if(values, [](const auto& value) { return events::tags::isEvalLoss(value.first); });
  if (evaluation.losses) training_.lossesStep = step;
  training_.send(protocol::ScalarBatch{{{0, step, base::wallTimeSeconds(), std::move(values)}}});
}

void HeldOutEvaluation::warnPastLimit(const eval::Evaluation& evaluation) {
  const std::string text = evaluation.bbox ? evaluation.bbox->pastLimit.text() : std::string();
  if (text.empty() || std::exchange(isWarnedPastLimit_, true)) return;
  training_.log(base::LogLevel::Warning, text);
}

bool HeldOutEvaluation::write(const eval::Evaluation& evaluation) {
  const std::int64_t step = training_.state.step;
  protocol::EvaluationReady ready{.step = step,
                                  .partial = training_.layout.partialEvaluation(step).string(),
                                  .bestMetric = training_.experiment.evaluation.bestMetric,
                                  .bestValue = std::nullopt};
  try {
    base::writeFileAtomically(ready.partial, eval::toJson(evaluation, /*withPerImage=*/true));
  } catch (const Error& error) {
    logWriteError("evaluation", error);
    return false;  // nor is it the best: there is nothing to show for it
  }
  if (evaluation.bbox) training_.evaluatedStep = step;
  const bool isBest = updateBest(evaluation);
  if (isBest) ready.bestValue = training_.state.best->value;
  training_.send(ready);
  return isBest;
}

bool HeldOutEvaluation::updateBest(const eval::Evaluation& evaluation) {
  const std::string& metric = training_.experiment.evaluation.bestMetric;
  const std::optional<double> value = eval::metricValue(evaluation, metric);
  if (!value) return false;
  std::optional<run_folder::Best>& best = training_.state.best;
  // After a resume with another best_metric, the comparison starts from scratch.
  const bool isComparable = best && best->metric == metric;
  if (isComparable && !eval::isBetter(metric, *value, best->value)) return false;
  best = {metric, *value, training_.state.step};
  return true;
}

void HeldOutEvaluation::logWriteError(const std::string& what, const Error& error) {
  training_.log(base::LogLevel::Error, what + " of step " + std::to_string(training_.state.step) +
                                           " could not be saved: " + error.what() +
                                           "; training continues");
}

std::vector<std::size_t> HeldOutEvaluation::firstImages(int count) const {
  std::vector<std::size_t> indices;
  const std::int64_t available = std::min<std::int64_t>(count, evaluator_->imageCount());
  for (std::int64_t i = 0; i < available; ++i) indices.push_back(i);
  return indices;
}

void HeldOutEvaluation::writePredictions(const eval::Detected& found) {
  std::vector<ImageId> images;
  const config::MonitorConfig& monitor = training_.experiment.monitor;
  for (const std::size_t index : firstImages(monitor.predictionImages)) {
    const ImageId id = training_.data.heldOutSet->images()[index].id;
    const bool isBad = std::ranges::any_of(
        found.badImages, [id](const data::BadImageInfo& fault) { return fault.id == id; });
    if (!isBad) images.push_back(id);
  }
  const std::int64_t step = training_.state.step;
  const std::string partial = training_.layout.partialPredictions(step).string();
  try {
    base::writeFileAtomically(
        partial, eval::predictionsJson(images, training_.experiment.model.boxHead.scoreThreshold,
                                       detectionsOn(found.detections, images)));
  } catch (const Error& error) {
    return logWriteError("predictions", error);
  }
  training_.send(protocol::PredictionsReady{step, partial});
  pictures_.draw(found, firstImages(monitor.summaryImages));
}

}  // namespace lockstep::train
