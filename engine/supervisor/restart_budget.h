#pragma once

#include <chrono>
#include <optional>

namespace lockstep::supervisor {

/// How often a run may be restarted (runtime.max_restarts), and the backoff before each restart: it
/// doubles while attempts fail soon after their start.
class RestartBudget {
 public:
  using Duration = std::chrono::milliseconds;

  explicit RestartBudget(int limit) : limit_(limit) {}

  /// Takes one restart after an attempt that lasted so long. Returns the backoff; nothing when no
  /// restart is left.
  std::optional<Duration> take(std::chrono::duration<double> lasted);
  int used() const { return used_; }
  int limit() const { return limit_; }

  static constexpr Duration kFirstBackoff{500}, kLongestBackoff{30'000};
  /// After an attempt that lasted so long the backoff is the first one again.
  static constexpr std::chrono::seconds kLongAttempt{60};

 private:
  int limit_, used_ = 0;
  Duration nextBackoff_ = kFirstBackoff;
};

}  // namespace lockstep::supervisor
