#include "engine/alerts/rule.h"

#include "engine/events/tags.h"

namespace lockstep::alerts {

std::int64_t RunSoFar::warmupEnd() const {
  if (experiment && experiment->solver.warmupSteps.unit == config::Duration::Unit::Steps)
    return experiment->solver.warmupSteps.steps();
  const auto& rates = curves.of(events::tags::kLearningRate).points();
  std::size_t highest = 0;
  while (highest + 1 < rates.size() && rates[highest + 1].mean() > rates[highest].mean()) ++highest;
  return rates.empty() ? 0 : rates[highest].last;
}

std::optional<std::int64_t> RunSoFar::startOfLast(std::int64_t steps) const {
  const std::int64_t start = step - steps + 1;
  return start > warmupEnd() ? std::optional(start) : std::nullopt;
}

}  // namespace lockstep::alerts
