// What happens between two steps: evaluation, predictions, checkpoints and requests.
#include <torch/types.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/events/tags.h"
#include "engine/train/early_stop.h"
#include "engine/train/failure.h"
#include "engine/train/prediction_request.h"
#include "engine/train/trainer.h"

namespace lockstep::train {
namespace {

using protocol::Phase;
using protocol::RunState;

constexpr std::chrono::milliseconds kPausedAgreementInterval{200};

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

void Trainer::atBoundary(const config::Due& due) {
  if (due.log) flushScalars();
  bool best = false;
  state_.lacksEvaluation = due.losses || due.predictions;  // what is saved when it fails
  try {
    best = lookAtHeldOut(due);
    state_.lacksEvaluation = false;
  } catch (const std::exception&) {
    endWithLastStep(std::current_exception());
  }
  if (due.checkpoint || best) saveCheckpoint(best, isAtEnd());
}

bool Trainer::lookAtHeldOut(const config::Due& due) {
  bool best = false;
  if (due.losses) {
    best = evaluate({.losses = true, .averagePrecision = due.averagePrecision}, due.predictions,
                    /*isAsked=*/false);
  }
  if (due.predictions && !due.averagePrecision) {
    enter(Phase::Predicting);
    shareStatistics();
    std::unique_ptr<solver::WeightAverage::InPlace> averaged;
    together([&] { averaged = averagedWeights(); });
    together([&] {
      const eval::Detected found = evaluator_->detect(*model_, watchedImages(), countingImages());
      tellBadHeldOut(found.badImages);
      if (isLeader()) writePredictions(found);
    });
  }
  return best;
}

eval::Progress Trainer::countingImages() {
  return [&images = context_.phase.images](std::int64_t, std::int64_t) { ++images; };
}

std::unique_ptr<solver::WeightAverage::InPlace> Trainer::averagedWeights() {
  return average_ ? std::make_unique<solver::WeightAverage::InPlace>(*average_) : nullptr;
}

solver::NamedTensors Trainer::optimizerState() const {
  solver::NamedTensors state = update_->state();
  if (!average_) return state;
  const solver::NamedTensors trained = average_->trainedWeights();
  state.insert(state.end(), trained.begin(), trained.end());
  return state;
}

/// Batch norm's statistics are of each rank's own images: rank 0's are the model's.
void Trainer::shareStatistics() {
  if (experiment_.model.resolvedNorm() == config::Norm::Batch)
    context_.world.broadcast(model_->buffers());
}

bool Trainer::evaluate(const eval::EvaluationRequest& request, bool withPredictions, bool isAsked) {
  enter(Phase::Evaluating);
  tellState(RunState::Evaluating);
  shareStatistics();
  bool best = false;
  {
    std::unique_ptr<solver::WeightAverage::InPlace> averaged;
    together([&] { averaged = averagedWeights(); });
    together([&] {
      eval::Evaluation evaluation = evaluator_->evaluate(*model_, request, countingImages());
      averaged.reset();
      evaluation.step = state_.step;
      tellBadHeldOut(evaluation.badImages);
      if (isLeader()) best = keep(evaluation, request, withPredictions, isAsked);
    });
  }
  stopsEarly_ = decided(state_.stopsEarly(experiment_.evaluation.earlyStop));
  tellState(RunState::Running);
  return best;
}

bool Trainer::keep(const eval::Evaluation& evaluation, const eval::EvaluationRequest& request,
                   bool withPredictions, bool isAsked) {
  // What somebody asks for between two evaluations must not end a training sooner.
  if (!isAsked && !state_.stopsEarly(experiment_.evaluation.earlyStop))
    countForEarlyStop(experiment_.evaluation.earlyStop, evaluation, state_.earlyStop);
  tellScalars(evaluation);
  tellPastLimit(evaluation);
  const bool best = keepEvaluation(evaluation);
  if (withPredictions && request.averagePrecision)
    writePredictions({evaluation.detections, evaluation.badImages});
  return best;
}

void Trainer::tellScalars(const eval::Evaluation& evaluation) {
  auto values = eval::evaluationScalars(evaluation);
  // The same losses again when AP is asked for later: each stands in the log once.
  if (lossesStep_ == state_.step)
    std::erase_if(values, [](const auto& value) { return events::tags::isEvalLoss(value.first); });
  if (evaluation.losses) lossesStep_ = state_.step;
  tell(protocol::ScalarBatch{{{0, state_.step, base::wallTimeSeconds(), std::move(values)}}});
}

void Trainer::tellPastLimit(const eval::Evaluation& evaluation) {
  const std::string text = evaluation.bbox ? evaluation.bbox->pastLimit.text() : std::string();
  if (text.empty() || std::exchange(toldPastLimit_, true)) return;
  log(base::LogLevel::Warning, text);
}

bool Trainer::keepEvaluation(const eval::Evaluation& evaluation) {
  protocol::EvaluationReady ready{.step = state_.step,
                                  .partial = layout_.partialEvaluation(state_.step).string(),
                                  .bestMetric = experiment_.evaluation.bestMetric,
                                  .bestValue = std::nullopt};
  try {
    base::writeFileAtomically(ready.partial, eval::toJson(evaluation, /*withPerImage=*/true));
  } catch (const Error& error) {
    tellLost("evaluation", error);
    return false;  // nor is it the best: there is nothing to show for it
  }
  if (evaluation.bbox) evaluatedStep_ = state_.step;
  const bool best = noteBest(evaluation);
  if (best) ready.bestValue = state_.best->value;
  tell(ready);
  return best;
}

void Trainer::tellState(RunState state) {
  tell(protocol::State{.step = state_.step, .state = state});
}

void Trainer::log(base::LogLevel level, std::string text) {
  tell(protocol::Log{.step = state_.step, .level = level, .text = std::move(text)});
}

void Trainer::tellLost(const std::string& what, const Error& error) {
  log(base::LogLevel::Error, what + " of step " + std::to_string(state_.step) +
                                 " could not be kept: " + error.what() + "; training goes on");
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

void Trainer::writePredictions(const eval::Detected& found) {
  std::vector<ImageId> images;
  for (const std::size_t index : watchedImages()) {
    const ImageId id = heldOutSet_->images()[index].id;
    const bool isBad = std::ranges::any_of(
        found.badImages, [id](const data::ImageFault& fault) { return fault.id == id; });
    if (!isBad) images.push_back(id);
  }
  const std::string partial = layout_.partialPredictions(state_.step).string();
  try {
    base::writeFileAtomically(
        partial, eval::predictionsJson(images, experiment_.model.boxHead.scoreThreshold,
                                       detectionsOf(found.detections, images)));
  } catch (const Error& error) {
    return tellLost("predictions", error);
  }
  tell(protocol::PredictionsReady{state_.step, partial});
}

Trainer::Wish Trainer::serveRequests() {
  std::vector<protocol::Control> requests = agreedRequests();
  bool paused = false;
  do {
    for (const protocol::Control& control : requests) {
      const bool isStop = std::holds_alternative<protocol::Stop>(control.action);
      const bool isPause = std::holds_alternative<protocol::Pause>(control.action);
      if (isStop || isPause || std::holds_alternative<protocol::Resume>(control.action)) {
        paused = isPause;
        isStop ? tellState(RunState::Stopping) : setPaused(isPause);
        if (!control.id.empty()) tell(protocol::Answer{control.id});
        if (isStop) return Wish::Stop;
      } else {
        serve(control);
        if (paused) setPaused(true);
      }
    }
    if (paused) requests = requestsWhilePaused();
  } while (paused);
  return Wish::GoOn;
}

void Trainer::setPaused(bool isPaused) {
  flushScalars();
  enter(isPaused ? Phase::Paused : Phase::Data);
  tellState(isPaused ? RunState::Paused : RunState::Running);
}

std::vector<protocol::Control> Trainer::agreedRequests() {
  if (context_.world.size() == 1) return context_.mailbox.take();
  return context_.world.finishAgreement() ? shareRequests() : std::vector<protocol::Control>{};
}

std::vector<protocol::Control> Trainer::requestsWhilePaused() {
  if (context_.world.size() == 1) return context_.mailbox.waitAndTake();
  // Again and again, so that no collective lasts as long as the pause.
  if (isLeader()) context_.mailbox.waitFor(kPausedAgreementInterval);
  context_.world.beginAgreement(!context_.mailbox.isEmpty());
  return agreedRequests();
}

std::vector<protocol::Control> Trainer::shareRequests() {
  std::string lines;
  for (const protocol::Control& control : context_.mailbox.take())
    lines += protocol::encode(protocol::SupervisorMessage(control)) + "\n";
  std::string all;
  for (const std::string& ofRank : context_.world.gather(lines)) all += ofRank;
  all = context_.world.share(all);
  std::vector<protocol::Control> requests;
  for (std::size_t begin = 0, end; (end = all.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    requests.push_back(std::get<protocol::Control>(
        protocol::decodeSupervisorMessage(std::string_view(all).substr(begin, end - begin))));
  }
  return requests;
}

void Trainer::serve(const protocol::Control& control) {
  flushScalars();
  protocol::Answer answer{control.id};
  const auto fulfilled = [this](const auto& action) -> std::string {
    if constexpr (requires { fulfil(action); }) return fulfil(action);
    return {};
  };
  try {
    answer.path = std::visit(fulfilled, control.action);
  } catch (const std::exception& error) {
    // What a client asks for does not end the training, whatever becomes of it.
    answer.error = failureOf(error, {.step = state_.step, .phase = Phase::Predicting}).message;
    tellState(RunState::Running);
  }
  tell(answer);
}

std::string Trainer::fulfil(const protocol::SaveCheckpoint&) {
  if (!isLeader()) return {};  // the others need not help
  saveCheckpoint(/*best=*/false, /*last=*/false);
  if (savedStep_ != state_.step) throw Error("the checkpoint could not be written");
  return layout_.checkpoint(state_.step).string();
}

std::string Trainer::fulfil(const protocol::Evaluate&) {
  if (!evaluator_) throw Error("dataset.val is not given: there is nothing to evaluate on");
  if (decided(evaluatedStep_ != state_.step) &&
      evaluate({.losses = true, .averagePrecision = true}, /*withPredictions=*/false,
               /*isAsked=*/true)) {
    saveCheckpoint(/*best=*/true, /*last=*/false);
  }
  if (isLeader() && evaluatedStep_ != state_.step)
    throw Error("the evaluation could not be written");
  return layout_.evaluation(state_.step).string();
}

std::string Trainer::fulfil(const protocol::Predict& asked) {
  if (!isLeader()) return {};
  enter(Phase::Predicting);
  const std::string& weights = asked.request.weights;
  const auto averaged = averagedWeights();
  const LoadedModel current{model_, trainLoader_->classes().categories(), {}};
  const PredictionSource source{weights.empty() ? current : otherModel(weights),
                                ownEvaluator_.get(), experiment_, device_, loaderThreads_};
  base::writeFileAtomically(asked.out, predict(source, asked.request, countingImages()));
  return asked.out;
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
