#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/service.h"
#include "engine/supervisor/socket_server.h"

namespace lockstep::supervisor {

/// Client requests that rank 0 answers: assigns ids and routes the answers back. Files with answers
/// are in a folder beside the socket, which is removed with this object. While 256 requests are
/// pending it refuses more, so that a broken client cannot fill the memory.
class WorkerRequests {
 public:
  using Send = std::function<void(const protocol::Control&)>;

  WorkerRequests(SocketServer& server, Send send);
  WorkerRequests(const WorkerRequests&) = delete;
  WorkerRequests& operator=(const WorkerRequests&) = delete;
  ~WorkerRequests();

  /// `request.weights` is resolved to a file already, or empty.
  void predict(const RequestToken& token, protocol::PredictRequest request);
  void evaluate(const RequestToken& token);
  void saveCheckpoint(const RequestToken& token);
  void answer(const protocol::Answer& answer);
  /// Answers every pending request with this error.
  void failAll(const std::string& reason);
  bool isEmpty() const { return pending_.empty(); }

 private:
  /// `action` gets the file for its answer.
  void forward(const RequestToken& token,
               const std::function<protocol::Action(const std::string& out)>& action);
  void removeOldAnswers();

  SocketServer& server_;
  Send send_;
  std::filesystem::path folder_;
  std::map<std::string, RequestToken> pending_;  ///< by the number that rank 0 gets
  std::int64_t nextNumber_ = 1;
};

}  // namespace lockstep::supervisor
