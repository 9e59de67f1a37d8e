#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <vector>

namespace lockstep::supervisor {

/// One thread's loop over poll(2): descriptors, timers and work to do before each wait. Callbacks
/// may add and remove watches.
class PollLoop {
 public:
  using Clock = std::chrono::steady_clock;

  /// wanted: the events to wait for, asked before each wait; ready: what poll said. The caller owns
  /// fd and unwatches it before closing it.
  void watch(int fd, std::function<short()> wanted, std::function<void(short)> ready);
  void unwatch(int fd);
  /// Calls `work` about every `interval`, first after one interval.
  void every(std::chrono::milliseconds interval, std::function<void()> work);
  /// Calls `work` before each wait; when it returns true there is more to do and the loop does not
  /// wait.
  void eachTurn(std::function<bool()> work);

  /// Runs until stop().
  void run();
  void stop() { stopped_ = true; }

 private:
  struct Watch {
    std::uint64_t serial;
    std::function<short()> wanted;
    std::function<void(short)> ready;
  };
  struct Timer {
    Clock::time_point due;
    std::chrono::milliseconds interval;
    std::function<void()> work;
  };
  int waitMilliseconds(bool moreToDo) const;
  void runTimers();
  void waitAndDispatch(int milliseconds);

  std::map<int, Watch> watches_;
  std::list<Timer> timers_;
  std::vector<std::function<bool()>> turns_;
  std::uint64_t nextSerial_ = 0;
  bool stopped_ = false;
};

}  // namespace lockstep::supervisor
