#pragma once

#include <mutex>
#include <optional>

#include "engine/protocol/worker_messages.h"

namespace lockstep::worker {

/// The worker's end of the socket pair to the supervisor; messages are JSON Lines.
class Channel {
 public:
  explicit Channel(int fd) : fd_(fd) {}
  Channel(const Channel&) = delete;

  /// Thread-safe. A batch of scalars is split into as many lines as the line limit needs. No error
  /// when the supervisor has exited: receive() detects that.
  void send(const protocol::WorkerMessage& message);

  /// One thread only. Blocks up to timeoutMs (-1: no timeout); nullopt on timeout or when the
  /// supervisor has closed the socket (isClosed()). Throws Error for a line that does not decode.
  std::optional<protocol::SupervisorMessage> receive(int timeoutMs);
  bool isClosed() const { return closed_; }

 private:
  void sendLine(const std::string& line);

  int fd_;
  std::mutex sendMutex_;
  protocol::LineBuffer received_;  ///< receiving thread only
  bool closed_ = false;            ///< receiving thread only
};

}  // namespace lockstep::worker
