#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "engine/base/error.h"
#include "engine/protocol/messages.h"
#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::supervisor {

/// What says that something is wrong with a rank. Where one rank fails, the others soon do too: of
/// several signs the one whose kind comes first here is the cause.
struct RankSign {
  enum class Kind {
    Start,     ///< it could not be started
    Signal,    ///< ended by a signal that was not ours
    Abort,     ///< by SIGABRT, which may follow from another's failure
    Exit,      ///< ended without a word
    Failed,    ///< it said why it fails
    Silence,   ///< it stopped answering
    Stall,     ///< it does not get on
    StallAll,  ///< nor does any other: all wait
    LostPeer,  ///< it said that another rank went away
  };
  Kind kind = Kind::Failed;
  protocol::RunError error;  ///< cause, and where the rank was; message: its own words
  ExitStatus status = ExitStatus::Failed;
};

RankSign signOfExit(const WorkerExit& exit);
RankSign signOfWords(const protocol::Failed& failed);
/// Silence and stalls. `limit`: for how long.
RankSign signOfStillness(RankSign::Kind kind, std::chrono::duration<double> limit);

/// Why the ranks ended.
struct RankFailure {
  protocol::RunError error;
  ExitStatus status = ExitStatus::Failed;
  std::string line;           ///< for people: the message, and where that does not say it
  bool isInWords = false;     ///< the rank itself said why, or it could not be started
  bool mayPassAgain = false;  ///< another attempt may get past it
};

/// The sign in words. `ranks`: of the world; `log`: keeps the rank's lines, empty: they were passed
/// on.
RankFailure describeFailure(const RankSign& sign, int ranks, const std::filesystem::path& log);

}  // namespace lockstep::supervisor
