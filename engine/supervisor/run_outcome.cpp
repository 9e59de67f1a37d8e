#include "engine/supervisor/run_outcome.h"

#include <algorithm>
#include <string_view>

#include "engine/base/host.h"

namespace lockstep::supervisor {
namespace {

using protocol::FailureCause;
using protocol::RunState;

/// Quoted as one word for a shell.
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

bool hasFallbackCheckpoint(const RunFacts& facts) {
  return facts.lostCheckpoint && !facts.lostCheckpoint->fallbackFolder.empty();
}

std::string lastCheckpointText(const RunFacts& facts) {
  if (hasFallbackCheckpoint(facts)) {
    return "it was saved to " + facts.lostCheckpoint->fallbackFolder + " on " + base::hostName() +
           ", and " + trainCommand(facts, "--resume") + " restores it from there";
  }
  return facts.checkpoints.empty() ? "there is no earlier checkpoint"
                                   : "resume from the latest checkpoint, of step " +
                                         std::to_string(facts.checkpoints.back());
}

/// How to continue after a failure that need not recur. Out of memory needs other values, which
/// only a new run may have, not a resumed one.
std::string resumeText(const base::OpenEnum<FailureCause>& cause, const RunFacts& facts) {
  if (hasFallbackCheckpoint(facts)) return "; the last checkpoint: " + lastCheckpointText(facts);
  if (facts.isRangeTest) return "; start the learning-rate range test again";
  if (facts.checkpoints.empty()) return "; there is no checkpoint to resume from yet";
  const std::string step = std::to_string(facts.checkpoints.back());
  if (cause == FailureCause::BadImage) {
    return "; resume from step " + step + " with " + trainCommand(facts, "--resume") +
           " (add --accept-data if you changed the annotations), or skip unreadable images with " +
           trainCommand(facts, "--resume --set dataset.bad_images=skip");
  }
  const std::string start =
      "; " + (facts.launcher.empty() ? "" : "restarted by " + facts.launcher + ", ");
  if (cause == FailureCause::OutOfMemory) {
    return start + trainCommand(facts, "--from " + step + " --set KEY=VALUE") +
           " starts a new run from step " + step;
  }
  return start + trainCommand(facts, "--resume") + " resumes from step " + step;
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
                                     "the last checkpoint could not be saved" + reason +
                                         ": free disk space; " + lastCheckpointText(facts),
                                     FailureCause::Checkpoint, facts);
  if (facts.lostCheckpoint) outcome.error->checkpoint = facts.lostCheckpoint->fallbackFolder;
  return outcome;
}

}  // namespace

RunOutcome outcomeOf(const RankGroupEnd& end, const RunFacts& facts) {
  if (end.failure) return outcomeOf(*end.failure, facts);
  if (!end.finished && facts.killedBy.empty()) return stoppedOutcome(facts);  // before they joined
  if (!end.finished) {
    return failedOutcome(ExitStatus::Killed, "killed by a second " + facts.killedBy,
                         base::OpenEnum<FailureCause>(facts.killedBy), facts);
  }
  const protocol::Finished& finished = *end.finished;
  const bool hasCheckpoint = std::ranges::binary_search(facts.checkpoints, finished.step);
  const bool needsCheckpoint = finished.stopped && !facts.isRangeTest;
  if (facts.lostCheckpoint || (needsCheckpoint && !hasCheckpoint))
    return lostCheckpointOutcome(facts);
  return finished.stopped ? stoppedOutcome(facts)
                          : endedOutcome(RunState::Finished, ExitStatus::Done, facts);
}

RunOutcome outcomeOf(const RankFailure& failure, const RunFacts& facts) {
  RunOutcome outcome{RunState::Failed, failure.status, failure.error, failure.line};
  const base::OpenEnum<FailureCause>& cause = failure.error.cause;
  if (hasFallbackCheckpoint(facts) || failure.isRetryable || cause == FailureCause::BadImage) {
    const std::string text = resumeText(cause, facts);
    outcome.error->message += text;
    outcome.line += text;
  }
  if (facts.lostCheckpoint) outcome.error->checkpoint = facts.lostCheckpoint->fallbackFolder;
  if (outcome.error->step == 0) outcome.error->step = facts.step;
  return outcome;
}

RunOutcome stoppedOutcome(const RunFacts& facts) {
  RunOutcome outcome = endedOutcome(RunState::Stopped, ExitStatus::Stopped, facts);
  if (facts.isRangeTest)
    outcome.line = "learning-rate range test " + outcome.line + ": it suggests nothing";
  return outcome;
}

RunOutcome cancelledOutcome(const RunFacts& facts) {
  RunOutcome outcome{RunState::Stopped, ExitStatus::Stopped, std::nullopt, "stopped while queued"};
  if (!facts.isRangeTest)
    outcome.line += "; " + trainCommand(facts, "--resume --queue") + " queues it again";
  return outcome;
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
