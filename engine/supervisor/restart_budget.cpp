#include "engine/supervisor/restart_budget.h"

#include <algorithm>

namespace lockstep::supervisor {

std::optional<RestartBudget::Duration> RestartBudget::take(std::chrono::duration<double> lived) {
  if (taken_ >= most_) return std::nullopt;
  ++taken_;
  if (lived >= kLongLife) nextPause_ = kFirstPause;
  const Duration pause = nextPause_;
  nextPause_ = std::min(2 * pause, kLongestPause);
  return pause;
}

}  // namespace lockstep::supervisor
