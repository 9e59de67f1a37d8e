#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

#include "engine/protocol/worker_messages.h"

namespace lockstep::supervisor {

/// How long a rank may be still. 0: for ever.
struct StallLimits {
  std::chrono::duration<double> stall{0};  ///< runtime.stall_seconds
  /// Without a heartbeat, which comes every second whatever the rank does: it has stopped (SIGSTOP,
  /// a frozen machine).
  std::chrono::duration<double> silence{6};
};

/// Tells a hanging rank from a slow one.
class StallWatch {
 public:
  using Clock = std::chrono::steady_clock;

  StallWatch(StallLimits limits, Clock::time_point now)
      : limits_(limits), heard_(now), moved_(now) {}

  void note(const protocol::Heartbeat& heartbeat, Clock::time_point now);
  /// Anything else a worker says: it works.
  void noteWork(Clock::time_point now) { heard_ = moved_ = now; }
  /// Nobody listened for a while: what was not heard does not count.
  void forgive(Clock::time_point now) { noteWork(now); }

  /// Nothing was heard of it for longer than the limit. Before its first heartbeat that alone is no
  /// fault: loading libraries from a slow disk takes what it takes.
  bool isSilent(Clock::time_point now) const;
  bool hadHeartbeat() const { return hadHeartbeat_; }
  /// For longer than the limit it has said nothing at all, or stayed in one place of a step, at one
  /// image of an evaluation or in one checkpoint (loading and pausing may take as long as they do).
  bool isStalled(Clock::time_point now) const;
  /// In a collective: what it waits for may be another rank.
  bool isWaiting() const { return last_.waiting; }
  const protocol::Heartbeat& last() const { return last_; }

 private:
  StallLimits limits_;
  Clock::time_point heard_, moved_;
  protocol::Heartbeat last_;
  bool hadHeartbeat_ = false;
};

/// The rank, by its place in `ranks`, that keeps the others: the first that does not get on and
/// waits for nobody; the first of all when every one of them waits for longer than the limit.
std::optional<std::size_t> findStalled(std::span<const StallWatch* const> ranks,
                                       StallWatch::Clock::time_point now);

}  // namespace lockstep::supervisor
