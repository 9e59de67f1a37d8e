#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/run_folder/run_files.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/service.h"
#include "engine/supervisor/socket_server.h"
#include "engine/supervisor/worker_requests.h"

namespace lockstep::supervisor {

class DeviceTurn;
class RunRecorder;
class TrainingProgress;
struct RunControl;

/// The socket of a training run, and what clients ask for through it.
class TrainingService : private Service {
 public:
  /// The run that clients see.
  struct Run {
    const DeviceTurn& turn;
    const RunRecorder& recorder;
    const TrainingProgress& progress;
    RunControl& control;
    std::function<void(const std::string& reason)> requestStop;
    std::function<void(int position)> moveInQueue;  ///< throws Error
  };
  TrainingService(PollLoop& loop, Run run);

  SocketServer& server() { return server_; }
  /// Those that the worker answers.
  WorkerRequests& requests() { return requests_; }

 private:
  // Service
  protocol::Welcome welcome() const override;
  std::filesystem::path eventFile() const override;
  const std::deque<protocol::Event>& pendingEvents() const override;
  std::optional<protocol::Reset> resetFor(const protocol::Hello& hello) const override;
  void handle(const RequestToken& token, const protocol::Command& command) override;
  void handle(const RequestToken& token, const protocol::PredictRequest& request) override;
  void handle(const RequestToken& token, const protocol::ExplainRequest& request) override;
  void handle(const RequestToken& token, const protocol::CancelRequest& request) override;
  void handle(const RequestToken& token, const protocol::QueueRequest& request) override;
  void handle(const RequestToken& token, const protocol::FileRequest& request) override;
  void clientGone(std::int64_t client) override;

  /// What a request needs of the run.
  enum class Need { NotEnded, Started, Ranks };
  std::optional<std::string> whyRefused(Need need) const;
  void setPaused(bool isPaused);
  protocol::RunStatus status() const;
  template <typename Request>
  std::optional<Request> withWeights(const RequestToken& token, Request request);
  void refuse(const RequestToken& token, const std::string& reason);

  Run run_;
  SocketServer server_;
  WorkerRequests requests_;
  run_folder::RunFiles files_;
};

}  // namespace lockstep::supervisor
