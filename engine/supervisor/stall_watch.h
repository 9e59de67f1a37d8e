#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

#include "engine/protocol/worker_messages.h"

namespace lockstep::supervisor {

/// Timeouts of a rank; 0: none.
struct StallLimits {
  std::chrono::duration<double> stall{0};  ///< without progress: runtime.stall_seconds
  /// Without a heartbeat, which comes every second whatever the rank does: its process is stopped
  /// (SIGSTOP, a frozen machine).
  std::chrono::duration<double> silence{6};
};

/// Distinguishes a hung rank from a slow one.
class StallWatch {
 public:
  using Clock = std::chrono::steady_clock;

  StallWatch(StallLimits limits, Clock::time_point now)
      : limits_(limits), lastMessage_(now), lastProgress_(now) {}

  void note(const protocol::Heartbeat& heartbeat, Clock::time_point now);
  /// Any other message is progress.
  void noteWork(Clock::time_point now) { lastMessage_ = lastProgress_ = now; }
  /// Messages were not read for a while: restart the timeouts.
  void restartTimers(Clock::time_point now) { noteWork(now); }

  /// It has sent nothing for longer than the limit. Before its first heartbeat that alone is no
  /// failure: it may be loading libraries from a slow disk.
  bool isSilent(Clock::time_point now) const;
  bool hadHeartbeat() const { return hadHeartbeat_; }
  /// For longer than the limit it has sent nothing at all, or stayed in one phase of a step, at one
  /// image of an evaluation or in one checkpoint. Loading and pausing may take any time.
  bool isStalled(Clock::time_point now) const;
  /// In a collective: it may wait for another rank.
  bool isWaiting() const { return last_.waiting; }
  const protocol::Heartbeat& last() const { return last_; }

 private:
  StallLimits limits_;
  Clock::time_point lastMessage_, lastProgress_;
  protocol::Heartbeat last_;
  bool hadHeartbeat_ = false;
};

/// The index of the rank that blocks the others: the first that is stalled outside a collective;
/// the first of all when every one is stalled in a collective.
std::optional<std::size_t> findStalled(std::span<const StallWatch* const> ranks,
                                       StallWatch::Clock::time_point now);

}  // namespace lockstep::supervisor
