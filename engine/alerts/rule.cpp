#include "engine/alerts/rule.h"

#include <algorithm>

#include "engine/events/tags.h"

namespace lockstep::alerts {

std::int64_t RunSoFar::warmupEnd() const {
  if (experiment && experiment->solver.warmupSteps.unit == config::Duration::Unit::Steps)
    return experiment->solver.warmupSteps.steps();
  const auto& rates = curves.of(events::tags::kLearningRate).points();
  std::size_t highest = 0;
  while (highest + 1 < rates.size() && rates[highest + 1].mean() > rates[highest].mean()) ++highest;
  return highest == 0 ? 0 : rates[highest].last;
}

std::optional<std::int64_t> RunSoFar::startOfLast(std::int64_t steps) const {
  const std::int64_t start = step - steps + 1;
  return start > std::max(warmupEnd(), since) ? std::optional(start) : std::nullopt;
}

bool RunSoFar::hasDecayed() const {
  const Curve& rates = curves.of(events::tags::kLearningRate);
  return 2 * rates.newest() < rates.highest();
}

std::vector<std::int64_t> RunSoFar::milestones() const {
  std::vector<std::int64_t> steps;
  if (!experiment || experiment->solver.schedule != config::Schedule::Step) return steps;
  for (const config::Duration& milestone : experiment->solver.milestones)
    if (milestone.unit == config::Duration::Unit::Steps) steps.push_back(milestone.steps());
  return steps;
}

std::int64_t RunSoFar::maxSteps() const {
  if (!experiment || experiment->solver.maxSteps.unit != config::Duration::Unit::Steps) return 0;
  return experiment->solver.maxSteps.steps();
}

std::string stepRange(std::int64_t from, std::int64_t to) {
  return "steps " + std::to_string(from) + " to " + std::to_string(to);
}

}  // namespace lockstep::alerts
