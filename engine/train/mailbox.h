#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/protocol/worker_messages.h"

namespace lockstep::train {

/// Requests queued for the training loop, which reads them at step boundaries only.
class Mailbox {
 public:
  /// Any thread; never blocks for long.
  void post(protocol::Control control);
  /// Everything posted since the last call, in order. Does not block.
  std::vector<protocol::Control> take();
  /// As take(), but blocks until one is posted.
  std::vector<protocol::Control> waitAndTake();
  bool isEmpty() const;
  /// Blocks until one is posted or the timeout; takes none.
  void waitFor(std::chrono::milliseconds time);
  /// Of a control that is answered later. Any thread.
  void cancel(const std::string& id);
  bool isCancelled(const std::string& id) const;
  /// A stop waits to be taken. Any thread.
  bool hasStop() const;
  /// It is answered: its id may come again.
  void forget(const std::string& id);

 private:
  mutable std::mutex mutex_;
  std::condition_variable posted_;
  std::vector<protocol::Control> controls_;  ///< under mutex_
  std::set<std::string> cancelled_;          ///< under mutex_
};

}  // namespace lockstep::train
