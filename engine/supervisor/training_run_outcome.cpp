// What comes of an attempt: another one, or the end of the run.
#include <algorithm>
#include <string_view>

#include "engine/base/number_text.h"
#include "engine/run_folder/rescued_checkpoint.h"
#include "engine/supervisor/machine.h"
#include "engine/supervisor/training_run.h"

namespace lockstep::supervisor {
namespace {

using protocol::FailureCause;
using protocol::RunState;

/// At the end, clients that are slow to take the last records are waited for this long.
constexpr std::chrono::seconds kDrainTime{2};

/// As a shell takes it for one word.
std::string shellWord(const std::string& text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+,:@%=";
  if (text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? "'\\''" : std::string(1, letter);
  return word + "'";
}

}  // namespace

void TrainingRun::ranksEnded(const RankGroupEnd& end) {
  if (!end.remark.empty()) log_.say("engine", "warning: " + end.remark);
  if (end.failure && beginAgain(*end.failure)) return;
  requests_->failAll("the run has ended");
  ended_ = end;
  concludeWhenKept();
}

void TrainingRun::concludeWhenKept() {
  if (ended_ && !waiting_) conclude(outcomeOf(*ended_));
}

void TrainingRun::keepLastCheckpoint(const protocol::CheckpointReady& ready) {
  if (tryToKeep(ready, /*withLog=*/true)) return;
  warn("the last checkpoint cannot be kept: " + waiting_->reason + "; it is tried for " +
       base::shortNumber(setup_.checkpointPatience) + " s more: make room");
}

bool TrainingRun::tryToKeep(const protocol::CheckpointReady& ready, bool withLog) {
  try {
    recorder_.moveCheckpoint(ready, withLog);
  } catch (const Error& error) {
    if (!waiting_) {
      const std::chrono::duration<double> patience(setup_.checkpointPatience);
      waiting_ = {ready, Clock::now() + std::chrono::duration_cast<Clock::duration>(patience), ""};
    }
    waiting_->reason = error.what();
    return false;
  }
  sayKept(ready);
  waiting_.reset();
  lost_.reset();  // where an earlier try of the same step had been given up
  return true;
}

void TrainingRun::insistOnLastCheckpoint() {
  if (!waiting_) return;
  const protocol::CheckpointReady ready = waiting_->ready;
  const bool isOver = Clock::now() >= waiting_->end;
  // At last without what the log lacks: the steps are worth more than their curves.
  if (!tryToKeep(ready, /*withLog=*/!isOver) && isOver) {
    lost_ = {waiting_->reason, ""};
    recorder_.recordLostCheckpoint(ready.step, waiting_->reason);
    waiting_.reset();
    try {
      // Where it is in its place, only what tells of it is not.
      if (!hasCheckpointOf(ready.step))
        lost_->elsewhere = run_folder::rescueCheckpoint(setup_.layout, ready.step).string();
    } catch (const Error& error) {
      lost_->reason += std::string("; nor could it be put elsewhere: ") + error.what();
    }
  }
  concludeWhenKept();
}

void TrainingRun::sayKept(const protocol::CheckpointReady& ready) {
  log_.say("train", "checkpoint step=" + std::to_string(ready.step) + (ready.best ? " best" : ""));
}

/// False when this failure is the run's end.
bool TrainingRun::beginAgain(const RankFailure& failure) {
  if (!failure.mayPassAgain || stopRequested_) return false;
  const auto pause = restarts_.take(Clock::now() - attemptStart_);
  if (!pause) return false;
  try {
    goOnFrom(run_folder::findResumePoint(setup_.layout));
  } catch (const Error& error) {
    log_.say("engine", std::string("the run cannot start again: ") + error.what());
    return false;
  }
  warn(failure.line + ": restart " + std::to_string(restarts_.taken()) + " of " +
       std::to_string(restarts_.most()) + ", from step " + std::to_string(setup_.resume->step));
  startsAfter_ = failure;
  startTimer_ = loop_.after(*pause, [this] { startRanks(); });
  return true;
}

/// The run folder, the log and everybody who follows it are at this point again.
void TrainingRun::goOnFrom(const run_folder::ResumePoint& point) {
  requests_->failAll("the run starts again from step " + std::to_string(point.step));
  recorder_.beginAgain(point);
  deviceUse_.goBackTo(point.step);
  setup_.resume = point;
  progress_ = makeProgress(setup_.experiment);
  waiting_.reset();
  lost_.reset();
  server_->resetAll(*recorder_.journal().lastRestart());
  recorder_.setState(RunState::Starting);
}

/// Asked to stop while no rank runs: the checkpoint to start again from is the one to resume from.
void TrainingRun::stopBeforeStart() {
  loop_.cancel(startTimer_);
  const RankFailure failure = *std::exchange(startsAfter_, std::nullopt);
  if (setup_.resume->step > 0)
    return conclude({RunState::Stopped, ExitStatus::Stopped, std::nullopt});
  conclude(outcomeOf(failure));
}

bool TrainingRun::hasCheckpointOf(std::int64_t step) const {
  const auto steps = run_folder::checkpointSteps(setup_.layout);
  return std::binary_search(steps.begin(), steps.end(), step);
}

/// The run has ended, and its last step has no checkpoint.
TrainingRun::Outcome TrainingRun::lostCheckpoint() const {
  const std::string reason = lost_ ? " (" + lost_->reason + ")" : "";
  Outcome outcome{RunState::Failed, ExitStatus::Failed,
                  errorAt("the last checkpoint could not be kept" + reason +
                              ": make room on the disk; " + whereLastCheckpointIs(),
                          FailureCause::Checkpoint)};
  if (lost_) outcome.error->checkpoint = lost_->elsewhere;
  return outcome;
}

std::string TrainingRun::whereLastCheckpointIs() const {
  if (lost_ && !lost_->elsewhere.empty()) {
    return "it is in " + lost_->elsewhere + " on " + hostName() + ", and " + resumeLine() +
           " fetches it from there";
  }
  const auto steps = run_folder::checkpointSteps(setup_.layout);
  return steps.empty() ? "there is none before it"
                       : "resume from the newest one, of step " + std::to_string(steps.back());
}

/// `lockstep-engine train RUN --resume`, for a shell.
std::string TrainingRun::resumeLine(const std::string& more) const {
  return "`lockstep-engine train " + shellWord(setup_.layout.folder().string()) + " --resume" +
         more + "`";
}

TrainingRun::Outcome TrainingRun::outcomeOf(const RankGroupEnd& end) const {
  if (end.failure) return outcomeOf(*end.failure);
  if (!end.finished) {
    return {RunState::Failed, ExitStatus::Killed,
            errorAt("killed by a second " + killedBy_, base::OpenEnum<FailureCause>(killedBy_))};
  }
  const protocol::Finished& finished = *end.finished;
  if (lost_ || (finished.stopped && !hasCheckpointOf(finished.step))) return lostCheckpoint();
  if (finished.stopped) return {RunState::Stopped, ExitStatus::Stopped, std::nullopt};
  return {RunState::Finished, ExitStatus::Done, std::nullopt};
}

/// Of faults that need not come again: the run can go on elsewhere, or later. What does not fit
/// into memory needs other values, which a run that goes on may not take: another run can.
std::string TrainingRun::wayOn(const base::OpenEnum<FailureCause>& cause) const {
  if (lost_ && !lost_->elsewhere.empty())
    return "; the last checkpoint: " + whereLastCheckpointIs();
  const auto steps = run_folder::checkpointSteps(setup_.layout);
  if (steps.empty()) return "; there is no checkpoint to go on from yet";
  const std::string step = std::to_string(steps.back());
  if (cause == FailureCause::BadImage) {
    return "; then " + resumeLine() + " (with annotations that were changed " +
           resumeLine(" --accept-data") + ") goes on from step " + step +
           ", or without such images " + resumeLine(" --set dataset.bad_images=skip");
  }
  const std::string& launcher = setup_.ranks.place.launcher;
  const std::string started = launcher.empty() ? "" : "started by " + launcher + " again, ";
  const std::string line =
      "`lockstep-engine train " + shellWord(setup_.layout.folder().string()) + " ";
  if (cause == FailureCause::OutOfMemory) {
    return "; " + started + line + "--from " + step + " --set KEY=VALUE` goes on from step " +
           step + " in another run";
  }
  return "; " + started + resumeLine() + " goes on from step " + step;
}

TrainingRun::Outcome TrainingRun::outcomeOf(const RankFailure& failure) const {
  Outcome outcome{RunState::Failed, failure.status, failure.error, failure.line};
  const base::OpenEnum<FailureCause>& cause = failure.error.cause;
  const bool isElsewhere = lost_ && !lost_->elsewhere.empty();
  if (isElsewhere || failure.mayPassAgain || cause == FailureCause::BadImage) {
    outcome.error->message += wayOn(cause);
    outcome.line += wayOn(cause);
  }
  if (lost_) outcome.error->checkpoint = lost_->elsewhere;
  if (outcome.error->step == 0) outcome.error->step = recorder_.info().step;
  return outcome;
}

protocol::RunError TrainingRun::errorAt(const std::string& message,
                                        const base::OpenEnum<FailureCause>& cause) const {
  const protocol::Heartbeat last = ranks_ ? ranks_->heartbeat(0) : protocol::Heartbeat();
  protocol::RunError error;
  error.message = message;
  error.host = hostName();
  error.step = last.step > 0 ? last.step : recorder_.info().step;
  error.phase = last.phase;
  error.collective = last.collective;
  error.cause = cause;
  return error;
}

void TrainingRun::conclude(Outcome outcome) {
  if (!outcome.error) {
    log_.say("engine", std::string(base::textOf(outcome.state)) + " at step " +
                           std::to_string(recorder_.info().step));
  } else {
    log_.say("engine", outcome.line.empty() ? outcome.error->message : outcome.line);
  }
  recorder_.setState(outcome.state, outcome.error);
  gpuWatch_.reset();
  outcome_ = std::move(outcome);
  drainEnd_ = Clock::now() + kDrainTime;
}

}  // namespace lockstep::supervisor
