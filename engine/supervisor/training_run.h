#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/config/experiment.h"
#include "engine/run_folder/run_folder.h"
#include "engine/run_folder/training_state.h"
#include "engine/supervisor/checkpoint_keeper.h"
#include "engine/supervisor/device_monitor.h"
#include "engine/supervisor/device_turn.h"
#include "engine/supervisor/event_commands.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/rank_group.h"
#include "engine/supervisor/rank_messages.h"
#include "engine/supervisor/restart_budget.h"
#include "engine/supervisor/run_control.h"
#include "engine/supervisor/run_log.h"
#include "engine/supervisor/run_outcome.h"
#include "engine/supervisor/run_recorder.h"
#include "engine/supervisor/stop_signals.h"
#include "engine/supervisor/training_progress.h"
#include "engine/supervisor/training_service.h"

namespace lockstep::supervisor {

/// What a training run needs: its run folder created and locked, config.yaml and run.json written.
struct TrainingSetup {
  run_folder::Layout layout;
  config::Experiment experiment;  ///< resolved
  run_folder::RunInfo info;       ///< as in run.json; with a queuePosition it waits for its devices
  std::optional<run_folder::ResumePoint> resume;  ///< empty: a new run
  std::vector<std::string> resumeLines;           ///< for its log: where it resumes from
  std::filesystem::path workerProgram;
  LocalRanks ranks{};
  double checkpointPatience = 60;  ///< seconds for which a refused last checkpoint is tried again
  std::optional<protocol::RunError> unexpectedExit{};  ///< of the attempt before; its log lacks it
  std::string bitsDifference{};  ///< why a resumed run has other bits than one without a break
};

/// Runs one training from its start to its end: starts and watches the ranks, restarts them where
/// it may, stops on signals. Its parts keep the run folder and serve the socket. One thread, one
/// poll loop.
class TrainingRun {
 public:
  explicit TrainingRun(TrainingSetup setup);
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;
  /// Kills ranks that still run.
  ~TrainingRun();

  /// Blocks until the run has ended. onListening (may be null) is called when the socket answers.
  /// Throws Error when the supervisor itself fails.
  ExitStatus run(const std::function<void()>& onListening);

 private:
  void serve(const std::function<void()>& onListening);
  void recordStart();
  void enterQueue();
  void awaitTurn();
  void start();
  void startRanks();
  RankGroup::Handlers rankHandlers();
  void stopOnSignal(const StopSignal& signal);
  void requestStop(const std::string& reason);
  void cancel(const std::string& reason);
  void everySecond();
  void restoreSocket();
  void warn(const std::string& text) { supervisor::warn(log_, recorder_, text); }

  void ranksEnded(const RankGroupEnd& end);
  bool restartAfter(const RankFailure& failure);
  void goBackTo(const run_folder::ResumePoint& point);
  void stopInsteadOfRestart();
  void concludeWhenKept();
  void conclude(RunOutcome outcome);
  void runEndCommand();
  void endByOwnFailure(const std::string& reason);
  RunFacts facts() const;

  TrainingSetup setup_;
  RunLog log_;
  RankLogs rankLogs_;
  PollLoop loop_;
  EventCommands commands_;
  TrainingProgress progress_;
  RunRecorder recorder_;
  DeviceTurn turn_;
  DeviceMonitor devices_;
  CheckpointKeeper checkpoints_;
  RunControl control_;
  TrainingService service_;
  RankMessages messages_;
  StopSignals signals_;

  RestartBudget restarts_;
  PollLoop::Clock::time_point attemptStart_{};
  PollLoop::TimerId restartTimer_ = 0, secondTimer_ = 0;
  std::string killedBy_;               ///< the second signal
  std::optional<RankGroupEnd> ended_;  ///< of the last attempt
  std::optional<RunOutcome> outcome_;
  bool isWritten_ = false;  ///< and every file of the run
};

}  // namespace lockstep::supervisor
