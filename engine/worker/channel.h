#pragma once

#include <mutex>
#include <optional>

#include "engine/protocol/worker_messages.h"

namespace lockstep::worker {

/// The socket pair to the supervisor, one JSON line a message.
class Channel {
 public:
  explicit Channel(int fd) : fd_(fd) {}
  Channel(const Channel&) = delete;

  /// Any thread; a batch of scalars in as many lines as it takes. A supervisor that is gone is no
  /// error here: it is seen when receiving.
  void send(const protocol::WorkerMessage& message);

  /// One thread. Blocks up to timeoutMs (-1: for ever); nothing when the time is over or the
  /// supervisor is gone (isClosed()). Throws Error for a line that is no message.
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
