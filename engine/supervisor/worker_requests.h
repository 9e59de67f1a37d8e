#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/service.h"
#include "engine/supervisor/socket_server.h"

namespace lockstep::supervisor {

/// Requests of clients that the worker answers: gives them numbers of their own and brings the
/// answers back. Files of answers lie in a folder beside the socket that goes with this object.
/// Refuses what comes while 256 requests wait, so that a broken client cannot fill the memory.
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
  /// Tells everybody who still waits.
  void failAll(const std::string& reason);
  bool isEmpty() const { return waiting_.empty(); }

 private:
  /// `action` makes one of the file for its answer.
  void begin(const RequestToken& token,
             const std::function<protocol::Action(const std::string& out)>& action);
  void removeOldAnswers();

  SocketServer& server_;
  Send send_;
  std::filesystem::path folder_;
  std::map<std::string, RequestToken> waiting_;  ///< by the number the worker knows
  std::int64_t nextNumber_ = 1;
};

}  // namespace lockstep::supervisor
