#include "engine/train/trainer.h"

#include <torch/types.h>

#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/config/lr_range_test.h"
#include "engine/dist/rank_error.h"
#include "engine/train/early_stop.h"
#include "engine/train/shared_checkpoint.h"
#include "engine/train/shared_errors.h"

namespace lockstep::train {

using protocol::Phase;
using protocol::RunState;

Trainer::Trainer(const config::Experiment& experiment, const run_folder::Layout& layout,
                 const TrainerContext& context)
    : training_(experiment, layout, context),
      model_(training_),
      steps_(training_, model_),
      badImages_(training_),
      heldOut_(training_, model_, badImages_),
      checkpoints_(training_, model_),
      requests_(training_, model_, steps_, heldOut_, checkpoints_) {}

void Trainer::resume(const std::filesystem::path& checkpointFolder) {
  checkpoint::Checkpoint saved = loadSharedCheckpoint(training_.context.world, checkpointFolder);
  const run_folder::TrainingState savedState = saved.state;
  model_.resume(std::move(saved), checkpointFolder);
  run_folder::TrainingState& state = training_.state;
  state.step = savedState.step;
  state.earlyStop = savedState.earlyStop;
  training_.stopsEarly = state.stopsEarly(training_.experiment.evaluation);
  state.lacksEvaluation = savedState.lacksEvaluation;
  badImages_.resume(savedState);
  // As in the supervisor: a best without a checkpoint does not count.
  if (savedState.best && (!training_.experiment.checkpoint.keepBest ||
                          std::filesystem::exists(checkpointFolder.parent_path() /
                                                  run_folder::stepName(savedState.best->step)))) {
    state.best = training_.savedBest = savedState.best;
  }
  // An evaluation that was missing counts for best and early stopping; the checkpoint is rewritten
  // with it.
  if (!state.lacksEvaluation) training_.savedStep = state.step;
  isResumed_ = true;
  const eval::EvaluationRequest held = eval::metricsIn(training_.layout.evaluation(state.step));
  if (held.losses) training_.lossesStep = state.step;
  if (held.averagePrecision) training_.evaluatedStep = state.step;
}

bool Trainer::isAtEnd() const {
  return training_.state.step >= training_.experiment.solver.maxSteps.steps() ||
         training_.stopsEarly;
}

Trainer::Outcome Trainer::run() {
  const std::int64_t& step = training_.state.step;
  const std::int64_t lastStep = training_.experiment.solver.maxSteps.steps();
  checkSameData();
  if (!isResumed_) model_.loadInitialWeights();
  if (isAtEnd()) {
    runDue(missing(/*isLast=*/true));
    return {step, false};
  }
  if (training_.state.lacksEvaluation) runDue(missing(/*isLast=*/false));
  steps_.loadFrom(step + 1);
  training_.sendState(RunState::Running);
  while (!isAtEnd()) {
    trainStep(step + 1);
    runDue(dueAfter(step, step == lastStep));
    if (training_.rangeTest) endAtDivergence();
    if (requests_.serve() && !isAtEnd()) {
      steps_.flushScalars();
      checkpoints_.save(/*isBest=*/false, /*isLast=*/true);
      return {step, true};
    }
  }
  if (training_.rangeTest) {
    endRangeTest();
  } else if (step < lastStep) {
    if (training_.isRankZero()) {  // the others only know that it is so
      training_.log(
          base::LogLevel::Info,
          "stopping early: " + earlyStopReason(training_.experiment.evaluation, training_.state));
    }
    runDue(missing(/*isLast=*/true));
  }
  return {step, false};
}

void Trainer::checkSameData() {
  const run_folder::TrainingState& own = training_.state;
  const std::string rankZeroState =
      training_.context.world.broadcastBytes(run_folder::encodeTrainingState(own));
  runWithSharedErrors(training_, [&] {
    const auto ofRankZero = run_folder::decodeTrainingState(rankZeroState, "rank 0's data").data;
    const std::string difference = run_folder::dataDifference(*ofRankZero, *own.data);
    if (difference.empty()) return;
    throw Error("the annotations differ from rank 0's (" + difference +
                "): give every machine the same files");
  });
}

void Trainer::trainStep(std::int64_t step) {
  steps_.begin(step);
  requests_.beginCheck();
  while (!steps_.computeGradients()) leaveOutBadImages(step);
  badImages_.report(step);
  steps_.updateWeights();
}

void Trainer::endAtDivergence() {
  training_.stopsEarly =
      answerOfRankZero(training_.context.world, training_.rangeTest->hasDiverged());
}

void Trainer::endRangeTest() {
  runWithSharedErrors(training_, [this] {
    if (!training_.isRankZero()) return;
    const auto& steps = training_.rangeTest->steps();
    const auto suggestion = config::suggestLearningRates(steps);
    if (!suggestion) {
      throw Error("the learning-rate range test suggests nothing: the loss diverged at step " +
                  std::to_string(steps.size()) + ", at a learning rate of " +
                  base::shortNumber(steps.back().learningRate) +
                  "; check the annotations and the initial weights");
    }
    training_.log(base::LogLevel::Info, "learning-rate range test: " + suggestion->text());
  });
}

void Trainer::leaveOutBadImages(std::int64_t step) {
  const LoadError error = steps_.takeLoadError();
  try {
    runWithSharedErrors(training_, [&error] {
      if (error.other) std::rethrow_exception(error.other);
    });
  } catch (const std::exception&) {
    endWithLastStep(std::current_exception());
  }
  const std::vector<BadImages::Unreadable> images = badImages_.gather(error.badImage);
  if (!training_.experiment.dataset.skipsBadImages()) {
    saveBeforeEnd();
    const BadImages::Unreadable& first = images.front();
    throw dist::RankError(first.image.what(), protocol::FailureCause::BadImage, first.rank,
                          first.host);
  }
  steps_.stopLoading();
  try {
    badImages_.leaveOut(images);
  } catch (const Error&) {
    saveBeforeEnd();
    throw;
  }
  steps_.loadFrom(step);
}

config::Due Trainer::dueAfter(std::int64_t step, bool isLast) const {
  config::Due due = config::dueAfter(training_.experiment, step, isLast);
  // Scalars are read once per log interval; on a CPU reading costs nothing, and a slow step should
  // not delay the chart.
  due.log = due.log || (training_.device.is_cpu() && steps_.secondsSinceFlush() > 1.0);
  // Whether a range test goes on depends on the loss of every step.
  if (training_.rangeTest) due.log = true;
  return due;
}

config::Due Trainer::missing(bool isLast) {
  const std::int64_t step = training_.state.step;
  config::Due due = dueAfter(step, isLast);
  due.checkpoint = training_.savedStep != step;
  due.log = false;
  const bool isEvaluated =
      training_.evaluatedStep == step || (training_.lossesStep == step && !due.averagePrecision);
  if (isEvaluated && !training_.state.lacksEvaluation) due.losses = due.averagePrecision = false;
  if (std::filesystem::exists(training_.layout.predictions(step))) due.predictions = false;
  dist::World& world = training_.context.world;
  due.losses = answerOfRankZero(world, due.losses);
  due.averagePrecision = answerOfRankZero(world, due.averagePrecision);
  due.predictions = answerOfRankZero(world, due.predictions);
  return due;
}

void Trainer::runDue(const config::Due& due) {
  if (due.log) steps_.flushScalars();
  bool isBest = false;
  training_.state.lacksEvaluation = due.losses || due.predictions;  // as saved when it fails
  try {
    isBest = heldOut_.run(due);
    training_.state.lacksEvaluation = false;
  } catch (const std::exception&) {
    endWithLastStep(std::current_exception());
  }
  if (due.checkpoint || isBest) checkpoints_.save(isBest, isAtEnd());
}

void Trainer::saveBeforeEnd() {
  const Phase phase = training_.context.phase.phase;  // in which it ends
  steps_.flushScalars();
  const auto& best = training_.state.best;
  const bool isBest = best && best != training_.savedBest && best->step == training_.state.step;
  if (training_.state.step > 0) checkpoints_.save(isBest, /*isLast=*/true);
  training_.context.world.broadcastBytes("");  // no rank ends the others while rank 0 writes
  training_.context.phase.phase = phase;
}

void Trainer::endWithLastStep(const std::exception_ptr& error) {
  try {
    saveBeforeEnd();
  } catch (const std::exception&) {  // the first error is the one to report
  }
  std::rethrow_exception(error);
}

}  // namespace lockstep::train
