#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "engine/protocol/worker_messages.h"

namespace lockstep::supervisor {

/// Tells a hanging rank from a slow one.
class StallWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// limit 0: never.
  StallWatch(std::chrono::duration<double> limit, Clock::time_point now)
      : limit_(limit), heard_(now), moved_(now) {}

  void note(const protocol::Heartbeat& heartbeat, Clock::time_point now);
  /// Anything else a worker says: it works.
  void noteWork(Clock::time_point now) { heard_ = moved_ = now; }
  /// What hangs, once it has for longer than the limit: no heartbeat at all, or a step that stays
  /// in one place (loading, evaluating and pausing may take as long as they do).
  std::optional<std::string> stall(Clock::time_point now) const;

 private:
  std::chrono::duration<double> limit_;
  Clock::time_point heard_, moved_;
  protocol::Heartbeat last_;
};

}  // namespace lockstep::supervisor
