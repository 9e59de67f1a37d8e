#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/protocol/worker_messages.h"

namespace lockstep::supervisor {

class RunLog;
class RunRecorder;

/// The last checkpoint of a run, which the run folder did not take.
struct LostCheckpoint {
  std::string reason;
  std::string elsewhere;  ///< the folder that it is in instead; empty: it is gone
};

/// Puts the checkpoints that rank 0 has written into the run folder. The last one of a run is tried
/// again when the folder refuses it, and is moved to another disk when that does not help: until
/// then the run must not end.
class CheckpointKeeper {
 public:
  using Clock = std::chrono::steady_clock;

  /// patience: for how long the last checkpoint is tried again.
  CheckpointKeeper(RunRecorder& recorder, RunLog& log, std::chrono::duration<double> patience);

  void keep(const protocol::CheckpointReady& ready);
  /// To be called about once a second.
  void retry();
  bool isRetrying() const { return refused_.has_value(); }
  /// The next try is the last one.
  void endPatience();
  /// A new attempt writes its own last checkpoint.
  void reset();
  /// The last checkpoint, when the run folder did not take it in the end.
  const std::optional<LostCheckpoint>& lost() const { return lost_; }

 private:
  void keepLast(const protocol::CheckpointReady& ready);
  bool tryToKeep(const protocol::CheckpointReady& ready, bool withLog);
  void putElsewhere(std::int64_t step);
  void logKept(const protocol::CheckpointReady& ready);

  /// The last checkpoint while the run folder does not take it.
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
