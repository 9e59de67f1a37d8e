#include "engine/supervisor/restart_budget.h"

#include <algorithm>

namespace lockstep::supervisor {

std::optional<RestartBudget::Duration> RestartBudget::take(std::chrono::duration<double> lasted) {
  if (used_ >= limit_) return std::nullopt;
  ++used_;
  if (lasted >= kLongAttempt) nextBackoff_ = kFirstBackoff;
  const Duration backoff = nextBackoff_;
  nextBackoff_ = std::min(2 * backoff, kLongestBackoff);
  return backoff;
}

}  // namespace lockstep::supervisor
