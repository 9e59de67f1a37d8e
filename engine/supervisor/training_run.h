#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file_identity.h"
#include "engine/config/experiment.h"
#include "engine/run_folder/run_folder.h"
#include "engine/run_folder/training_state.h"
#include "engine/supervisor/device_use.h"
#include "engine/supervisor/gpu_watch.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/rank_group.h"
#include "engine/supervisor/restart_budget.h"
#include "engine/supervisor/run_log.h"
#include "engine/supervisor/run_recorder.h"
#include "engine/supervisor/service.h"
#include "engine/supervisor/socket_server.h"
#include "engine/supervisor/stop_signals.h"
#include "engine/supervisor/training_progress.h"
#include "engine/supervisor/worker_requests.h"

namespace lockstep::supervisor {

/// What a training run needs: its folder is made and locked, config.yaml and run.json are written.
struct TrainingSetup {
  run_folder::Layout layout;
  config::Experiment experiment;                  ///< resolved
  run_folder::RunInfo info;                       ///< as in run.json
  std::optional<run_folder::ResumePoint> resume;  ///< of a run that goes on
  std::vector<std::string> remarks;  ///< how it goes on from what is there, for its log
  std::filesystem::path workerProgram;
  LocalRanks ranks{};
  double checkpointPatience = 60;  ///< seconds that the last checkpoint is tried for, once refused
  std::optional<protocol::RunError> silentEnd{};  ///< of the attempt before, which its log lacks
};

/// Runs one training from its start to its end: starts and watches the ranks, starts them again
/// where it may, keeps the run folder, serves the socket, obeys signals. One thread, one poll
/// loop.
class TrainingRun : private Service {
 public:
  /// onListening is called when the socket answers.
  TrainingRun(TrainingSetup setup, std::function<void()> onListening);
  ~TrainingRun() override;

  /// Blocks until the run has ended; says how. Throws Error when the supervisor itself fails.
  ExitStatus run();

 private:
  using Clock = PollLoop::Clock;
  struct Outcome {
    protocol::RunState state = protocol::RunState::Failed;
    ExitStatus status = ExitStatus::Failed;
    std::optional<protocol::RunError> error;
    std::string line{};  ///< the error for people; empty: made of it
  };

  // Service
  protocol::Welcome welcome() const override;
  std::filesystem::path eventFile() const override;
  const std::deque<protocol::Event>& waitingEvents() const override;
  std::optional<protocol::Reset> resetFor(const protocol::Hello& hello) const override;
  void handle(const RequestToken& token, const protocol::Command& command) override;
  void handle(const RequestToken& token, const protocol::PredictRequest& request) override;
  protocol::RunStatus status() const;
  void refuse(const RequestToken& token, const std::string& reason);

  // What the ranks say
  void takeMessage(int rank, const protocol::WorkerMessage& message);
  void take(const protocol::ScalarBatch& batch);
  void take(const protocol::State& state);
  void take(const protocol::Log& log);
  void take(const protocol::CheckpointReady& ready);
  void take(const protocol::BadImage& image);
  void take(const protocol::Answer& answer);
  void take(const protocol::Progress& progress);
  void takeLogLine(int rank, const std::string& line);

  void serveToTheEnd();
  void tellGapsOfTheLog();
  void recordOwnFailure(const std::string& reason);
  RunRecorder makeRecorder();
  static TrainingProgress makeProgress(const config::Experiment& experiment);
  void startRanks();
  void watchGpus();
  void takeFigures(const GpuDevice& gpu, const GpuFigures& figures);
  void warn(const std::string& text);
  void stopOnSignal(int signal);
  void requestStop(const std::string& reason);
  void everySecond();
  void keepSocket();
  bool folderIsGone() const;
  bool endWhenDrained();
  bool isRunning() const { return ranks_ && ranks_->isRunning(); }
  void tellRanks(protocol::Action action) { ranks_->send({.action = std::move(action)}); }

  // What comes of an attempt
  void ranksEnded(const RankGroupEnd& end);
  bool beginAgain(const RankFailure& failure);
  void goOnFrom(const run_folder::ResumePoint& point);
  void stopBeforeStart();
  Outcome outcomeOf(const RankGroupEnd& end) const;
  Outcome outcomeOf(const RankFailure& failure) const;
  bool hasCheckpointOf(std::int64_t step) const;
  /// The last checkpoint, which a rank could write, is kept: at once, or tried for a while, or put
  /// elsewhere. The run does not end before.
  void keepLastCheckpoint(const protocol::CheckpointReady& ready);
  void insistOnLastCheckpoint();
  bool tryToKeep(const protocol::CheckpointReady& ready, bool withLog);
  void sayKept(const protocol::CheckpointReady& ready);
  void concludeWhenKept();
  std::string whereLastCheckpointIs() const;
  std::string resumeLine(const std::string& more = "") const;
  Outcome lostCheckpoint() const;
  std::string wayOn(const base::OpenEnum<protocol::FailureCause>& cause) const;
  protocol::RunError errorAt(const std::string& message,
                             const base::OpenEnum<protocol::FailureCause>& cause) const;
  void conclude(Outcome outcome);

  TrainingSetup setup_;
  std::optional<base::FileIdentity> folder_;
  RunLog log_;
  std::vector<base::FileDescriptor> rankLogs_;
  PollLoop loop_;
  TrainingProgress progress_;
  std::unique_ptr<SocketServer> server_;
  std::unique_ptr<WorkerRequests> requests_;
  RunRecorder recorder_;
  StopSignals signals_;
  DeviceUse deviceUse_;
  std::unique_ptr<GpuWatch> gpuWatch_;
  std::unique_ptr<RankGroup> ranks_;
  RestartBudget restarts_;
  std::function<void()> onListening_;

  Clock::time_point attemptStart_{};
  std::optional<RankFailure> startsAfter_;  ///< the ranks are to be started again; why they ended
  PollLoop::TimerId startTimer_ = 0;
  std::string killedBy_;        ///< the second signal
  bool stopRequested_ = false;  ///< by a signal or a client
  bool pauseRequested_ = false;
  int signalsThatCount_ = 0;  ///< the second one kills
  /// The last checkpoint as long as the run folder does not take it.
  struct Waiting {
    protocol::CheckpointReady ready;
    Clock::time_point end;
    std::string reason;
  };
  std::optional<Waiting> waiting_;
  struct Lost {
    std::string reason;
    std::string elsewhere;  ///< where it is instead; empty: nowhere
  };
  std::optional<Lost> lost_;           ///< the last checkpoint
  std::optional<RankGroupEnd> ended_;  ///< the ranks have; the last checkpoint waits
  std::optional<Outcome> outcome_;
  Clock::time_point drainEnd_{};
};

}  // namespace lockstep::supervisor
