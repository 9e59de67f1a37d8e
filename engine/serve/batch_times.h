#pragma once

#include <algorithm>
#include <chrono>

namespace lockstep::serve {

/// How long batches take, to tell early that a worker hangs.
class BatchTimes {
 public:
  using Duration = std::chrono::steady_clock::duration;
  static constexpr std::chrono::seconds kLeast{5};  ///< nobody is suspected before
  static constexpr int kTimes = 10;                 ///< as long as the slowest batch is unusual

  /// Of a batch that was answered.
  void add(Duration took) { slowest_ = std::max(slowest_, took); }
  /// Whether a batch takes so long that its worker probably hangs, which it does for certain after
  /// `limit`: far longer than any that was answered, half of the limit at most.
  bool isUnusual(Duration takes, Duration limit) const {
    const Duration usual =
        slowest_ > Duration(0) ? std::max<Duration>(kTimes * slowest_, kLeast) : limit;
    return takes > std::min(usual, limit / 2);
  }

 private:
  Duration slowest_{0};
};

}  // namespace lockstep::serve
