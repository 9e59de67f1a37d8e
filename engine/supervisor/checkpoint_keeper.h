#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/protocol/worker_messages.h"

namespace lockstep::supervisor {

class RunLog;
class RunRecorder;

/// The last checkpoint, which could not be saved in the run folder.
struct LostCheckpoint {
  std::string reason;
  std::string fallbackFolder;  ///< fallback folder that has it; empty: it is lost
};

/// Renames rank 0's partial checkpoints into the run folder. The last one is retried on failure and
/// then saved to a fallback folder; the run does not end before that.
class CheckpointKeeper {
 public:
  using Clock = std::chrono::steady_clock;

  /// patience: how long the last checkpoint is retried.
  CheckpointKeeper(RunRecorder& recorder, RunLog& log, std::chrono::duration<double> patience);

  void keep(const protocol::CheckpointReady& ready);
  /// To be called about once a second.
  void retry();
  bool isRetrying() const { return refused_.has_value(); }
  /// The next retry is the last.
  void stopRetrying();
  /// A new attempt writes its own last checkpoint.
  void reset();
  /// The last checkpoint, if it could not be saved in the run folder.
  const std::optional<LostCheckpoint>& lost() const { return lost_; }

 private:
  void keepLast(const protocol::CheckpointReady& ready);
  bool tryToKeep(const protocol::CheckpointReady& ready, bool withLog);
  void saveToFallback(std::int64_t step);
  void logKept(const protocol::CheckpointReady& ready);

  /// The last checkpoint, which could not be saved yet.
  struct Refused {
    protocol::CheckpointReady ready;
    Clock::time_point deadline;
    std::string reason;
  };
  RunRecorder& recorder_;
  RunLog& log_;
  std::chrono::duration<double> patience_;
  std::optional<Refused> refused_;
  std::optional<LostCheckpoint> lost_;
};

}  // namespace lockstep::supervisor
