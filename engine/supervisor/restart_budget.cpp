#include "engine/supervisor/restart_budget.h"

#include <algorithm>

namespace lockstep::supervisor {

std::optional<RestartBudget::Duration> RestartBudget::take(std::chrono::duration<double> lasted) {
  if (taken_ >= limit_) return std::nullopt;
  ++taken_;
  if (lasted >= kLongAttempt) nextBackoff_ = kFirstBackoff;
  const Duration backoff = nextBackoff_;
  nextBackoff_ = std::min(2 * backoff, kLongestBackoff);
  return backoff;
}

}  // namespace lockstep::supervisor
