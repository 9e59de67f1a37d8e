#pragma once

#include <signal.h>

#include <functional>
#include <optional>
#include <string>

#include "engine/base/file_descriptor.h"
#include "engine/supervisor/poll_loop.h"

namespace lockstep::supervisor {

/// A signal that asks this process to stop.
struct StopSignal {
  int number = 0;
  /// A second signal kills. SIGHUP does not count: it comes from a terminal that is gone, often
  /// several times and beside SIGTERM.
  bool isRepeated = false;
};

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGCHLD come through the loop instead of
/// interrupting it, and SIGPIPE is ignored. Of the first three, those that this process was started
/// to ignore (nohup) stay ignored.
class StopSignals {
 public:
  /// onChild is called when a child may have ended.
  StopSignals(PollLoop& loop, std::function<void(const StopSignal&)> onStop,
              std::function<void()> onChild);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

 private:
  void read();

  PollLoop& loop_;
  std::function<void(const StopSignal&)> onStop_;
  std::function<void()> onChild_;
  int counted_ = 0;  ///< signals but hang-ups
  base::FileDescriptor fd_;
  sigset_t oldMask_{};
  struct sigaction oldPipe_ {};
};

/// Makes a stop signal end this process at once with ExitStatus::Stopped until a StopSignals
/// exists: no run has begun.
void endOnStopSignals();

/// Blocks stop signals (SIGINT, SIGTERM and SIGHUP, unless ignored) until a StopSignals exists, for
/// work that must not be interrupted halfway. Workers do not inherit it.
void holdStopSignals();
/// Returns a pending stop signal, if any.
std::optional<int> takeHeldStopSignal();

/// `SIGKILL`, or `signal 70` for one without a name.
std::string signalName(int signal);

}  // namespace lockstep::supervisor
