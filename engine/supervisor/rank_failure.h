#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "engine/base/error.h"
#include "engine/protocol/messages.h"
#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::supervisor {

/// A sign that a rank failed. Failures spread to other ranks: the symptom whose Kind is listed
/// first is the root cause.
struct RankSymptom {
  enum class Kind {
    Start,       ///< it could not be started
    Signal,      ///< ended by a signal that was not ours
    Abort,       ///< by SIGABRT, which may follow from another rank's failure
    Exit,        ///< exited before it reported its end
    Failed,      ///< it reported its failure
    Silence,     ///< it sends no heartbeat
    Stall,       ///< it makes no progress
    AllStalled,  ///< nor does any other: all wait in a collective
    LostPeer,    ///< it reported that another rank is gone
  };
  Kind kind = Kind::Failed;
  protocol::RunError error;  ///< cause, and where the rank was; message: without its name
  ExitStatus status = ExitStatus::Failed;
};

RankSymptom symptomOf(const WorkerExit& exit);
RankSymptom symptomOf(const protocol::Failed& failed);
/// Silence, Stall and AllStalled, for longer than `limit`.
RankSymptom timeoutSymptom(RankSymptom::Kind kind, std::chrono::duration<double> limit);

/// Why the ranks ended.
struct RankFailure {
  protocol::RunError error;
  ExitStatus status = ExitStatus::Failed;
  std::string line;          ///< the message for users, with where the rank was
  bool isExplained = false;  ///< the message says why; else the rank's last log lines may
  bool isRetryable = false;  ///< a restart may succeed
};

/// The failure in words. log: the file with the rank's lines; empty: they went to standard error.
RankFailure describeFailure(const RankSymptom& symptom, int worldSize,
                            const std::filesystem::path& log);

}  // namespace lockstep::supervisor
