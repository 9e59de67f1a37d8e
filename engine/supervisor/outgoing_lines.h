#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace lockstep::supervisor {

/// Send queue of a non-blocking socket.
class OutgoingLines {
 public:
  /// `line` has no newline yet.
  void add(std::string line);
  /// Sends what the socket takes now. False: the peer has disconnected.
  bool flush(int fd);
  bool isEmpty() const { return bytes_ == 0; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::deque<std::string> lines_;
  std::size_t sentOfFirst_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace lockstep::supervisor
