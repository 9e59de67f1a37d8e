#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "engine/protocol/worker_messages.h"

namespace lockstep::train {

/// Requests on their way to the training loop, which reads them at step boundaries only.
class Mailbox {
 public:
  /// Any thread; never blocks for long.
  void post(protocol::Control control);
  /// Everything posted since the last call, in order. Does not block.
  std::vector<protocol::Control> take();
  /// As take(), but blocks until something is there.
  std::vector<protocol::Control> waitAndTake();
  bool isEmpty() const;
  /// Blocks until something is there or the time is over; takes nothing.
  void waitFor(std::chrono::milliseconds time);

 private:
  mutable std::mutex mutex_;
  std::condition_variable posted_;
  std::vector<protocol::Control> controls_;  ///< under mutex_
};

}  // namespace lockstep::train
