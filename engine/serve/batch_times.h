#pragma once

#include <chrono>

namespace lockstep::serve {

/// How long batches take, to tell early that a worker hangs.
class BatchTimes {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// Of a batch that was answered.
  void add(Duration took);
  /// Whether a batch takes so long that its worker probably hangs: ten times as long as the slowest
  /// that was answered, and 5 s at least; in any case half of `limit`, after which it is given up.
  bool isUnusual(Duration takes, Duration limit) const;

 private:
  Duration slowest_{0};  ///< 0: none was answered
};

}  // namespace lockstep::serve
