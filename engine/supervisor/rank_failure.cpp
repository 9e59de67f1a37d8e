#include "engine/supervisor/rank_failure.h"

#include <signal.h>

#include "engine/base/number_text.h"

namespace lockstep::supervisor {
namespace {

using protocol::FailureCause;
using Kind = RankSymptom::Kind;

/// ` at step 41 in backward, last collective gradients`, as far as it is known.
std::string whereText(const protocol::RunError& error) {
  std::string text;
  if (error.step > 0) text += " at step " + std::to_string(error.step);
  if (!error.phase.isEmpty()) text += " in " + error.phase.text();
  if (!error.collective.empty()) text += ", last collective " + error.collective;
  return text;
}

std::string linesText(const std::filesystem::path& log) {
  return log.empty() ? "; its last lines are above"
                     : "; its last lines are at the end of " + log.string();
}

}  // namespace

RankSymptom symptomOf(const WorkerExit& exit) {
  RankSymptom symptom;
  symptom.kind = !exit.bySignal ? Kind::Exit : exit.code == SIGABRT ? Kind::Abort : Kind::Signal;
  symptom.error.cause = base::OpenEnum<FailureCause>(exit.describe());
  symptom.error.message =
      exit.bySignal ? "was killed by " + exit.describe() : "exited with " + exit.describe();
  if (exit.bySignal && exit.code == SIGKILL) symptom.error.message += " (out of memory?)";
  return symptom;
}

RankSymptom symptomOf(const protocol::Failed& failed) {
  RankSymptom symptom;
  symptom.kind = failed.cause == FailureCause::LostPeer  ? Kind::LostPeer
                 : failed.cause == FailureCause::Silence ? Kind::Silence
                                                         : Kind::Failed;
  symptom.status = static_cast<ExitStatus>(failed.exitStatus);
  symptom.error = {failed.message, failed.rank,       failed.host, failed.step,
                   failed.phase,   failed.collective, failed.cause};
  return symptom;
}

RankSymptom timeoutSymptom(RankSymptom::Kind kind, std::chrono::duration<double> limit) {
  RankSymptom symptom;
  symptom.kind = kind;
  const std::string seconds = base::shortNumber(limit.count()) + " s";
  const std::string stalled = " for " + seconds + " (runtime.stall_seconds)";
  if (kind == Kind::Silence) {
    symptom.error.cause = FailureCause::Silence;
    symptom.error.message = "sent no heartbeat for " + seconds;
  } else {
    symptom.error.cause = FailureCause::Stalled;
    symptom.error.message = kind == Kind::Stall ? "made no progress" + stalled
                                                : "waited, like all ranks here," + stalled;
  }
  return symptom;
}

RankFailure describeFailure(const RankSymptom& symptom, int worldSize,
                            const std::filesystem::path& log) {
  RankFailure failure;
  failure.error = symptom.error;
  failure.status = symptom.status;
  protocol::RunError& error = failure.error;
  const std::string name = "rank " + std::to_string(error.rank) + " on " + error.host;
  const std::string where = whereText(error);
  switch (symptom.kind) {
    case Kind::Start:
      break;
    case Kind::Signal:
    case Kind::Abort:
    case Kind::Exit:
      error.message = name + " " + error.message + where + linesText(log);
      break;
    case Kind::Silence:
    case Kind::Stall:
    case Kind::AllStalled:
      error.message = name + " " + error.message + where;
      break;
    case Kind::Failed:
    case Kind::LostPeer:
      // A lone rank needs no name.
      if (worldSize > 1) error.message = name + " failed" + where + ": " + error.message;
      break;
  }
  failure.line = error.message;
  // Of an image that cannot be read it does not matter where the rank was.
  const bool addsWhere =
      symptom.kind == Kind::Failed && worldSize == 1 && error.cause != FailureCause::BadImage;
  if (addsWhere && !where.empty()) failure.line += " [" + where.substr(1) + "]";
  failure.isExplained =
      symptom.kind == Kind::Start || symptom.kind == Kind::Failed || symptom.kind == Kind::LostPeer;
  failure.isRetryable = symptom.kind != Kind::Start && error.cause != FailureCause::Error &&
                        error.cause != FailureCause::BadImage &&
                        symptom.status != ExitStatus::UserError;
  return failure;
}

}  // namespace lockstep::supervisor
