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

  /// wanted: the events to wait for, asked before each wait; ready: the events that poll(2)
  /// returned. The caller owns fd and unwatches it before closing it.
  void watch(int fd, std::function<short()> wanted, std::function<void(short)> ready);
  void unwatch(int fd);
  using TimerId = std::uint64_t;
  /// Calls `work` about every `interval`, first after one interval.
  TimerId every(std::chrono::milliseconds interval, std::function<void()> work);
  /// Calls `work` once, from the loop and not from here.
  TimerId after(std::chrono::milliseconds delay, std::function<void()> work);
  /// Also from within its own work. Nothing happens for a timer that is gone.
  void cancel(TimerId timer);
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
    TimerId id;
    Clock::time_point due;
    std::chrono::milliseconds interval;
    bool isOnce = false;
    bool isOver = false;  ///< to be removed once no work is running
    std::function<void()> work;
  };
  int waitMilliseconds(bool moreToDo) const;
  void runTimers();
  void waitAndDispatch(int milliseconds);

  std::map<int, Watch> watches_;
  std::list<Timer> timers_;
  std::vector<std::function<bool()>> turns_;
  std::uint64_t nextSerial_ = 0;
  TimerId nextTimer_ = 1;
  bool stopped_ = false;
};

}  // namespace lockstep::supervisor
