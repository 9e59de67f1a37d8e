#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/supervisor/poll_loop.h"

namespace lockstep::serve {

/// A thread for work that would hold up a loop, one after the other: each begins when the loop has
/// taken what the one before it returned, so that results never pile up.
class BackgroundThread {
 public:
  /// Done in the thread; what it returns is called from the loop.
  using Work = std::function<std::function<void()>()>;

  explicit BackgroundThread(supervisor::PollLoop& loop);
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  /// Waits for the work that is being done; the rest is dropped.
  ~BackgroundThread();

  /// `work` must not throw.
  void post(Work work);

 private:
  void work(const std::stop_token& stop);
  void deliver();

  supervisor::PollLoop& loop_;
  base::FileDescriptor event_;
  std::mutex mutex_;
  std::condition_variable_any posted_;
  std::deque<Work> waiting_;                 ///< under mutex_
  std::vector<std::function<void()>> done_;  ///< under mutex_
  std::jthread thread_;
};

}  // namespace lockstep::serve
