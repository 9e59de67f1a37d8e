#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/protocol/worker_messages.h"
#include "engine/run_folder/run_files.h"
#include "engine/run_folder/run_folder.h"
#include "engine/supervisor/event_log.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/run_log.h"
#include "engine/supervisor/service.h"
#include "engine/supervisor/socket_server.h"
#include "engine/supervisor/stop_signals.h"
#include "engine/supervisor/worker_process.h"
#include "engine/supervisor/worker_requests.h"

namespace lockstep::supervisor {

struct InspectSetup {
  std::filesystem::path target;  ///< the run folder or configuration, real path
  std::filesystem::path socket;
  protocol::RankPlacement placement;  ///< of its one rank
  protocol::InspectJob job;
  /// The run of the checkpoints that requests name, whose records are served.
  std::optional<run_folder::Layout> run;
  std::filesystem::path workerProgram;
  std::chrono::seconds idleLimit{600};
};

/// Keeps a model loaded in one worker and serves requests on a socket, with the messages of a run,
/// until idle.
class InspectSession : private Service {
 public:
  /// onReady is called when the model is loaded and the socket answers.
  InspectSession(InspectSetup setup, std::function<void()> onReady);
  ~InspectSession() override;

  /// Blocks until it was idle for idleLimit, or a client or a signal stopped it. Throws Error with
  /// the worker's reason.
  void run();

 private:
  using Clock = PollLoop::Clock;

  // Service
  protocol::Welcome welcome() const override;
  std::filesystem::path eventFile() const override { return eventFile_; }
  std::optional<protocol::Reset> resetFor(const protocol::Hello& hello) const override;
  void handle(const RequestToken& token, const protocol::Command& command) override;
  void handle(const RequestToken& token, const protocol::PredictRequest& request) override;
  void handle(const RequestToken& token, const protocol::ExplainRequest& request) override;
  void handle(const RequestToken& token, const protocol::CancelRequest& request) override;
  void handle(const RequestToken& token, const protocol::QueueRequest& request) override;
  void handle(const RequestToken& token, const protocol::FileRequest& request) override;
  void clientGone(std::int64_t client) override;

  void handle(const protocol::WorkerMessage& message);
  void workerExited(const WorkerExit& exit);
  void everySecond();
  void refuseOfTrainings(const RequestToken& token, const std::string& request);
  template <typename Request>
  std::optional<Request> withWeights(const RequestToken& token, Request request);
  std::string resolveWeights(const std::string& weights) const;

  InspectSetup setup_;
  run_folder::RunInfo info_;                   ///< of the run; without one: finished
  std::optional<run_folder::RunFiles> files_;  ///< of the run
  std::filesystem::path eventFile_;
  EventLogSummary eventLog_;
  RunLog log_;
  PollLoop loop_;
  StopSignals signals_;
  std::unique_ptr<SocketServer> server_;
  std::unique_ptr<WorkerRequests> requests_;
  WorkerProcess worker_;
  std::function<void()> onReady_;
  bool ready_ = false;
  bool ending_ = false;
  std::string failure_;
  ExitStatus failureStatus_ = ExitStatus::Failed;
  Clock::time_point lastRequest_ = Clock::now();
};

}  // namespace lockstep::supervisor
