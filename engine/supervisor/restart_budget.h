#pragma once

#include <chrono>
#include <optional>

namespace lockstep::supervisor {

/// How often a run may start again (runtime.max_restarts), and after what pause: where it dies at
/// once again and again, each is longer than the one before.
class RestartBudget {
 public:
  using Duration = std::chrono::milliseconds;

  explicit RestartBudget(int most) : most_(most) {}

  /// Takes one, for an attempt that lived so long: the pause before the next. Nothing when none is
  /// left.
  std::optional<Duration> take(std::chrono::duration<double> lived);
  int taken() const { return taken_; }
  int most() const { return most_; }

  static constexpr Duration kFirstPause{500}, kLongestPause{30'000};
  /// An attempt that lived so long has not died at once.
  static constexpr std::chrono::seconds kLongLife{60};

 private:
  int most_, taken_ = 0;
  Duration nextPause_ = kFirstPause;
};

}  // namespace lockstep::supervisor
