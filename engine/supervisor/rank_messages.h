#pragma once

#include "engine/protocol/worker_messages.h"

namespace lockstep::supervisor {

class CheckpointKeeper;
class DeviceMonitor;
class RunLog;
class RunRecorder;
class TrainingProgress;
class WorkerRequests;
struct RunControl;

/// Handles what the ranks of a training run send: records it in the run folder, logs it for people,
/// and answers the clients that asked for it.
class RankMessages {
 public:
  /// The parts of the run that messages go to.
  struct Sinks {
    RunRecorder& recorder;
    RunLog& log;
    CheckpointKeeper& checkpoints;
    TrainingProgress& progress;
    DeviceMonitor& devices;
    WorkerRequests& requests;
    const RunControl& control;
  };
  explicit RankMessages(Sinks sinks) : to_(sinks) {}

  /// Of ranks other than 0 only lines of the log count.
  void handle(int rank, const protocol::WorkerMessage& message);

 private:
  void handleOfRank0(const protocol::WorkerMessage& message);
  void handle(const protocol::ScalarBatch& batch);
  void handle(const protocol::State& state);
  void handle(const protocol::Log& log);
  void handle(const protocol::CheckpointReady& ready);
  void handle(const protocol::BadImage& image);
  void handle(const protocol::Answer& answer);
  void handle(const protocol::Progress& progress);

  Sinks to_;
};

}  // namespace lockstep::supervisor
