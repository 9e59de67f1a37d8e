#include "engine/supervisor/run_outcome.h"

#include <algorithm>
#include <string_view>

#include "engine/base/host.h"

namespace lockstep::supervisor {
namespace {

using protocol::FailureCause;
using protocol::RunState;

/// As a shell takes it for one word.
std::string shellWord(const std::string& text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+,:@%=";
  if (text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? "'\\''" : std::string(1, letter);
  return word + "'";
}

/// `lockstep-engine train RUN OPTIONS`, between backticks, for a shell.
std::string trainCommand(const RunFacts& facts, const std::string& options) {
  return "`lockstep-engine train " + shellWord(facts.folder.string()) + " " + options + "`";
}

bool isLastCheckpointElsewhere(const RunFacts& facts) {
  return facts.lostCheckpoint && !facts.lostCheckpoint->elsewhere.empty();
}

std::string lastCheckpointText(const RunFacts& facts) {
  if (isLastCheckpointElsewhere(facts)) {
    return "it is in " + facts.lostCheckpoint->elsewhere + " on " + base::hostName() + ", and " +
           trainCommand(facts, "--resume") + " fetches it from there";
  }
  return facts.checkpoints.empty()
             ? "there is none before it"
             : "resume from the newest one, of step " + std::to_string(facts.checkpoints.back());
}

/// How to go on after a failure that need not come again. What does not fit into memory needs other
/// values, which a resumed run may not take and another run may.
std::string resumeText(const base::OpenEnum<FailureCause>& cause, const RunFacts& facts) {
  if (isLastCheckpointElsewhere(facts))
    return "; the last checkpoint: " + lastCheckpointText(facts);
  if (facts.checkpoints.empty()) return "; there is no checkpoint to go on from yet";
  const std::string step = std::to_string(facts.checkpoints.back());
  if (cause == FailureCause::BadImage) {
    return "; then " + trainCommand(facts, "--resume") + " (with annotations that were changed " +
           trainCommand(facts, "--resume --accept-data") + ") goes on from step " + step +
           ", or without such images " +
           trainCommand(facts, "--resume --set dataset.bad_images=skip");
  }
  const std::string start =
      "; " + (facts.launcher.empty() ? "" : "started by " + facts.launcher + " again, ");
  if (cause == FailureCause::OutOfMemory) {
    return start + trainCommand(facts, "--from " + step + " --set KEY=VALUE") +
           " goes on from step " + step + " in another run";
  }
  return start + trainCommand(facts, "--resume") + " goes on from step " + step;
}

RunOutcome endedOutcome(RunState state, ExitStatus status, const RunFacts& facts) {
  return {state, status, std::nullopt,
          std::string(base::textOf(state)) + " at step " + std::to_string(facts.step)};
}

RunOutcome failedOutcome(ExitStatus status, const std::string& message,
                         const base::OpenEnum<FailureCause>& cause, const RunFacts& facts) {
  return {RunState::Failed, status, runError(message, cause, facts), message};
}

/// The run has ended, and its last step has no checkpoint in the folder.
RunOutcome lostCheckpointOutcome(const RunFacts& facts) {
  const std::string reason = facts.lostCheckpoint ? " (" + facts.lostCheckpoint->reason + ")" : "";
  RunOutcome outcome = failedOutcome(ExitStatus::Failed,
                                     "the last checkpoint could not be kept" + reason +
                                         ": make room on the disk; " + lastCheckpointText(facts),
                                     FailureCause::Checkpoint, facts);
  if (facts.lostCheckpoint) outcome.error->checkpoint = facts.lostCheckpoint->elsewhere;
  return outcome;
}

}  // namespace

RunOutcome outcomeOf(const RankGroupEnd& end, const RunFacts& facts) {
  if (end.failure) return outcomeOf(*end.failure, facts);
  if (!end.finished) {
    return failedOutcome(ExitStatus::Killed, "killed by a second " + facts.killedBy,
                         base::OpenEnum<FailureCause>(facts.killedBy), facts);
  }
  const protocol::Finished& finished = *end.finished;
  const bool hasCheckpoint = std::ranges::binary_search(facts.checkpoints, finished.step);
  if (facts.lostCheckpoint || (finished.stopped && !hasCheckpoint))
    return lostCheckpointOutcome(facts);
  return finished.stopped ? stoppedOutcome(facts)
                          : endedOutcome(RunState::Finished, ExitStatus::Done, facts);
}

RunOutcome outcomeOf(const RankFailure& failure, const RunFacts& facts) {
  RunOutcome outcome{RunState::Failed, failure.status, failure.error, failure.line};
  const base::OpenEnum<FailureCause>& cause = failure.error.cause;
  if (isLastCheckpointElsewhere(facts) || failure.isRetryable || cause == FailureCause::BadImage) {
    const std::string text = resumeText(cause, facts);
    outcome.error->message += text;
    outcome.line += text;
  }
  if (facts.lostCheckpoint) outcome.error->checkpoint = facts.lostCheckpoint->elsewhere;
  if (outcome.error->step == 0) outcome.error->step = facts.step;
  return outcome;
}

RunOutcome stoppedOutcome(const RunFacts& facts) {
  return endedOutcome(RunState::Stopped, ExitStatus::Stopped, facts);
}

protocol::RunError runError(const std::string& message, const base::OpenEnum<FailureCause>& cause,
                            const RunFacts& facts) {
  const protocol::Heartbeat& last = facts.heartbeat;
  protocol::RunError error;
  error.message = message;
  error.host = base::hostName();
  error.step = last.step > 0 ? last.step : facts.step;
  error.phase = last.phase;
  error.collective = last.collective;
  error.cause = cause;
  return error;
}

}  // namespace lockstep::supervisor
