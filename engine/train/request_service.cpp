#include "engine/train/request_service.h"

#include <torch/types.h>

#include <chrono>
#include <string_view>
#include <utility>
#include <variant>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/train/failure.h"
#include "engine/train/prediction_request.h"
#include "engine/train/shared_errors.h"

namespace lockstep::train {
namespace {

using protocol::Phase;
using protocol::RunState;

constexpr std::chrono::milliseconds kPausedAgreementInterval{200};

}  // namespace

RequestService::RequestService(Training& training, TrainingModel& model, StepRunner& steps,
                               HeldOutEvaluation& heldOut, CheckpointWriter& checkpoints)
    : training_(training),
      model_(model),
      steps_(steps),
      heldOut_(heldOut),
      checkpoints_(checkpoints) {}

void RequestService::beginCheck() {
  if (training_.context.world.size() > 1)
    training_.context.world.beginAnyRank(!training_.context.mailbox.isEmpty());
}

bool RequestService::serve() {
  std::vector<protocol::Control> requests = agreedRequests();
  bool isPaused = false;
  do {
    for (const protocol::Control& control : requests) {
      const bool isStop = std::holds_alternative<protocol::Stop>(control.action);
      const bool isPause = std::holds_alternative<protocol::Pause>(control.action);
      if (isStop || isPause || std::holds_alternative<protocol::Resume>(control.action)) {
        isPaused = isPause;
        isStop ? training_.sendState(RunState::Stopping) : setPaused(isPause);
        if (!control.id.empty()) training_.send(protocol::Answer{control.id});
        if (isStop) return true;
      } else {
        answer(control);
        if (isPaused) setPaused(true);
      }
    }
    if (isPaused) requests = requestsWhilePaused();
  } while (isPaused);
  return false;
}

void RequestService::setPaused(bool isPaused) {
  steps_.flushScalars();
  training_.enter(isPaused ? Phase::Paused : Phase::Data);
  training_.sendState(isPaused ? RunState::Paused : RunState::Running);
}

std::vector<protocol::Control> RequestService::agreedRequests() {
  dist::World& world = training_.context.world;
  if (world.size() == 1) return training_.context.mailbox.take();
  return world.finishAnyRank() ? shareRequests() : std::vector<protocol::Control>{};
}

std::vector<protocol::Control> RequestService::requestsWhilePaused() {
  if (training_.context.world.size() == 1) return training_.context.mailbox.waitAndTake();
  // Again and again, so that no collective lasts as long as the pause.
  if (training_.isRankZero()) training_.context.mailbox.waitFor(kPausedAgreementInterval);
  beginCheck();
  return agreedRequests();
}

std::vector<protocol::Control> RequestService::shareRequests() {
  dist::World& world = training_.context.world;
  std::string lines;
  for (const protocol::Control& control : training_.context.mailbox.take())
    lines += protocol::encode(protocol::SupervisorMessage(control)) + "\n";
  std::string all;
  for (const std::string& ofRank : world.gather(lines)) all += ofRank;
  all = world.broadcastBytes(all);
  std::vector<protocol::Control> requests;
  for (std::size_t begin = 0, end; (end = all.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    requests.push_back(std::get<protocol::Control>(
        protocol::decodeSupervisorMessage(std::string_view(all).substr(begin, end - begin))));
  }
  return requests;
}

void RequestService::answer(const protocol::Control& control) {
  steps_.flushScalars();
  protocol::Answer answer{.id = control.id, .step = training_.state.step};
  const auto runAction = [&](const auto& action) -> std::string {
    if constexpr (requires { run(action, control.id); }) return run(action, control.id);
    return {};
  };
  try {
    answer.path = std::visit(runAction, control.action);
  } catch (const std::exception& error) {
    // A request that fails does not end the training.
    answer.error =
        failureOf(error, {.step = training_.state.step, .phase = Phase::Predicting}).message;
    training_.sendState(RunState::Running);
  }
  training_.context.mailbox.forget(control.id);
  training_.send(answer);
}

std::string RequestService::run(const protocol::SaveCheckpoint&, const std::string&) {
  if (!training_.isRankZero()) return {};  // the others need not help
  if (training_.rangeTest) throw Error("a learning-rate range test has no checkpoints");
  training_.state.isAsked = true;  // as saved
  checkpoints_.save(/*isBest=*/false, /*isLast=*/false);
  training_.state.isAsked = false;
  const std::int64_t step = training_.state.step;
  if (training_.savedStep != step) throw Error("the checkpoint could not be written");
  return training_.layout.checkpoint(step).string();
}

std::string RequestService::run(const protocol::Evaluate&, const std::string&) {
  if (training_.rangeTest) throw Error("a learning-rate range test is not evaluated");
  if (!heldOut_.hasData()) throw Error("dataset.val is not given: there is nothing to evaluate on");
  const std::int64_t step = training_.state.step;
  if (answerOfRankZero(training_.context.world, training_.evaluatedStep != step) &&
      heldOut_.evaluateOnRequest())
    checkpoints_.save(/*isBest=*/true, /*isLast=*/false);
  if (training_.isRankZero() && training_.evaluatedStep != step)
    throw Error("the evaluation could not be written");
  return training_.layout.evaluation(step).string();
}

template <typename Asked, typename Work>
std::string RequestService::answerFile(const Asked& asked, const std::string& id,
                                       const Work& work) {
  if (!training_.isRankZero()) return {};
  throwIfCancelled(training_.context.mailbox, id);
  base::checkWritable(asked.out);
  training_.enter(Phase::Predicting);
  const std::string& weights = asked.request.weights;
  const auto average = model_.averageInPlace();
  const LoadedModel current{model_.model(), training_.data.trainLoader->classes().categories(), {}};
  const TrainingData& data = training_.data;
  const auto loader = [&data](protocol::Split split) {
    return split == protocol::Split::Val ? data.heldOutLoader.get() : data.trainLoader.get();
  };
  const PredictionSource source{weights.empty() ? current : modelWith(weights), loader,
                                training_.experiment, evaluatorOptions(training_)};
  const auto tell = progressOf(id, training_.context.mailbox, training_.context.send);
  const auto count = training_.countImages();
  base::writeFileAtomically(asked.out, work(source, asked.request, [&](auto done, auto total) {
                              count(done, total);
                              tell(done, total);
                            }));
  return asked.out;
}

std::string RequestService::run(const protocol::Predict& asked, const std::string& id) {
  return answerFile(asked, id, predict);
}

std::string RequestService::run(const protocol::Explain& asked, const std::string& id) {
  return answerFile(asked, id, explain);
}

const LoadedModel& RequestService::modelWith(const std::string& weights) {
  if (loaded_ && weights == loadedWeights_) return *loaded_;
  LoadedModel loaded =
      loadModel(training_.experiment, weights, &training_.data.trainSet, training_.device);
  if (loaded.categories != training_.data.trainLoader->classes().categories()) {
    throw UserError("weights of another dataset: " + weights +
                    " has more categories than this run");
  }
  loaded_ = std::move(loaded);
  loadedWeights_ = weights;
  return *loaded_;
}

}  // namespace lockstep::train
