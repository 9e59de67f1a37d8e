#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/service.h"
#include "engine/supervisor/socket_server.h"

namespace lockstep::supervisor {

/// Client requests that rank 0 answers: assigns ids and routes progress and answers back. Files
/// with answers are in a folder beside the socket, which is removed with this object; predictions
/// of a whole part of the dataset are kept in the run folder. While 256 requests are pending it
/// refuses more, so that a broken client cannot fill the memory.
class WorkerRequests {
 public:
  using Send = std::function<void(const protocol::Control&)>;

  /// `run`: none, where no run is inspected.
  WorkerRequests(SocketServer& server, Send send, std::optional<run_folder::Layout> run);
  WorkerRequests(const WorkerRequests&) = delete;
  WorkerRequests& operator=(const WorkerRequests&) = delete;
  ~WorkerRequests();

  /// `request.weights` is resolved to a file already, or empty.
  void predict(const RequestToken& token, protocol::PredictRequest request);
  void explain(const RequestToken& token, protocol::ExplainRequest request);
  /// Ends a prediction; has no effect on other requests, which all ranks are busy with.
  void cancel(const RequestToken& token);
  /// Likewise all of a client that is gone: nobody waits for them.
  void cancelAllOf(std::int64_t client);
  void tell(const protocol::Progress& progress);
  void evaluate(const RequestToken& token);
  void saveCheckpoint(const RequestToken& token);
  void answer(const protocol::Answer& answer);
  /// Answers every pending request with this error.
  void failAll(const std::string& reason);
  bool isEmpty() const { return pending_.empty(); }

 private:
  struct Pending {
    RequestToken token;
    std::optional<protocol::Split> split{};  ///< of predictions that are kept
    std::optional<std::int64_t> step{};      ///< of their weights; none: the worker's answer says
  };
  /// `action` gets the file for its answer.
  void forward(Pending pending,
               const std::function<protocol::Action(const std::string& out)>& action);
  std::filesystem::path outFor(const Pending& pending) const;
  /// Moves predictions of a part into the run folder; returns the file with the answer.
  std::string kept(const Pending& pending, const protocol::Answer& answer) const;
  void removeOldAnswers();

  SocketServer& server_;
  Send send_;
  std::filesystem::path folder_;
  std::optional<run_folder::Layout> run_;
  std::map<std::string, Pending> pending_;  ///< by the number that rank 0 gets
  std::int64_t nextNumber_ = 1;
};

}  // namespace lockstep::supervisor
