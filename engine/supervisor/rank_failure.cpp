#include "engine/supervisor/rank_failure.h"

#include <signal.h>

#include "engine/base/number_text.h"

namespace lockstep::supervisor {
namespace {

using protocol::FailureCause;

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

RankSign signOfExit(const WorkerExit& exit) {
  RankSign sign;
  sign.kind = !exit.bySignal         ? RankSign::Kind::Exit
              : exit.code == SIGABRT ? RankSign::Kind::Abort
                                     : RankSign::Kind::Signal;
  sign.error.cause = base::OpenEnum<FailureCause>(exit.describe());
  sign.error.message =
      exit.bySignal ? "was ended by " + exit.describe() : "ended with " + exit.describe();
  if (exit.bySignal && exit.code == SIGKILL) sign.error.message += " (out of memory?)";
  return sign;
}

RankSign signOfWords(const protocol::Failed& failed) {
  RankSign sign;
  sign.kind = failed.cause == FailureCause::LostPeer  ? RankSign::Kind::LostPeer
              : failed.cause == FailureCause::Silence ? RankSign::Kind::Silence
                                                      : RankSign::Kind::Failed;
  sign.status = static_cast<ExitStatus>(failed.exitStatus);
  sign.error = {failed.message, failed.rank,       failed.host, failed.step,
                failed.phase,   failed.collective, failed.cause};
  return sign;
}

RankSign signOfStillness(RankSign::Kind kind, std::chrono::duration<double> limit) {
  RankSign sign;
  sign.kind = kind;
  const std::string seconds = base::shortNumber(limit.count()) + " s";
  const std::string stalled = " for " + seconds + " (runtime.stall_seconds)";
  if (kind == RankSign::Kind::Silence) {
    sign.error.cause = FailureCause::Silence;
    sign.error.message = "stopped answering (no heartbeat for " + seconds + ")";
  } else {
    sign.error.cause = FailureCause::Stalled;
    sign.error.message = kind == RankSign::Kind::Stall ? "did not get on" + stalled
                                                       : "waited, as all ranks here did," + stalled;
  }
  return sign;
}

RankFailure describeFailure(const RankSign& sign, int ranks, const std::filesystem::path& log) {
  RankFailure failure;
  failure.error = sign.error;
  failure.status = sign.status;
  protocol::RunError& error = failure.error;
  const std::string name = "rank " + std::to_string(error.rank) + " on " + error.host;
  const std::string where = whereText(error);
  switch (sign.kind) {
    case RankSign::Kind::Start:
      break;
    case RankSign::Kind::Signal:
    case RankSign::Kind::Abort:
    case RankSign::Kind::Exit:
      error.message = name + " " + error.message + where + linesText(log);
      break;
    case RankSign::Kind::Silence:
    case RankSign::Kind::Stall:
    case RankSign::Kind::StallAll:
      error.message = name + " " + error.message + where;
      break;
    case RankSign::Kind::Failed:
    case RankSign::Kind::LostPeer:
      // Of a lone rank the words alone say it all.
      if (ranks > 1) error.message = name + " failed" + where + ": " + error.message;
      break;
  }
  failure.line = error.message;
  // Where it was says nothing more of an image that cannot be read.
  const bool isAlone =
      sign.kind == RankSign::Kind::Failed && ranks == 1 && error.cause != FailureCause::BadImage;
  if (isAlone && !where.empty()) failure.line += " [" + where.substr(1) + "]";
  failure.isInWords = sign.kind == RankSign::Kind::Start || sign.kind == RankSign::Kind::Failed ||
                      sign.kind == RankSign::Kind::LostPeer;
  failure.mayPassAgain = sign.kind != RankSign::Kind::Start && error.cause != FailureCause::Error &&
                         error.cause != FailureCause::BadImage &&
                         sign.status != ExitStatus::Mendable;
  return failure;
}

}  // namespace lockstep::supervisor
