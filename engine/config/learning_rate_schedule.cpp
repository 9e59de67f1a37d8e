#include "engine/config/learning_rate_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockstep::config {
namespace {

double sweptRate(const LearningRateSweep& sweep, std::int64_t doneSteps) {
  if (sweep.steps < 2) return sweep.lowest;
  const double share = static_cast<double>(doneSteps) / static_cast<double>(sweep.steps - 1);
  return sweep.lowest * std::pow(sweep.highest / sweep.lowest, std::min(share, 1.0));
}

}  // namespace

LearningRateSchedule::LearningRateSchedule(const SolverConfig& config)
    : kind_(config.schedule),
      baseLr_(config.baseLr),
      gamma_(config.gamma),
      warmupFactor_(config.warmupFactor),
      warmupSteps_(config.warmupSteps.steps()),
      maxSteps_(config.maxSteps.steps()) {
  for (const Duration& milestone : config.milestones) {
    milestones_.push_back(milestone.steps());
  }
  std::sort(milestones_.begin(), milestones_.end());
}

double LearningRateSchedule::learningRate(std::int64_t step) const {
  const std::int64_t doneSteps = std::max<std::int64_t>(step - 1, 0);
  if (sweep_) return sweptRate(*sweep_, doneSteps);
  return baseLr_ * warmup(doneSteps) * decay(doneSteps);
}

std::vector<std::int64_t> LearningRateSchedule::corners() const {
  std::vector<std::int64_t> steps = milestones_;
  steps.push_back(warmupSteps_);
  return steps;
}

double LearningRateSchedule::decay(std::int64_t doneSteps) const {
  const double done =
      maxSteps_ > 0 ? std::min(1.0, static_cast<double>(doneSteps) / static_cast<double>(maxSteps_))
                    : 0.0;
  switch (kind_) {
    case Schedule::Step: {
      const auto passed = std::upper_bound(milestones_.begin(), milestones_.end(), doneSteps);
      return std::pow(gamma_, static_cast<double>(passed - milestones_.begin()));
    }
    case Schedule::Cosine:
      return 0.5 * (1 + std::cos(std::numbers::pi * done));
    case Schedule::Linear:
      return 1 - done;
    case Schedule::Constant:
      break;
  }
  return 1;
}

double LearningRateSchedule::warmup(std::int64_t doneSteps) const {
  if (doneSteps + 1 >= warmupSteps_) return 1;
  const double share = static_cast<double>(doneSteps) / static_cast<double>(warmupSteps_ - 1);
  return warmupFactor_ + (1 - warmupFactor_) * share;
}

}  // namespace lockstep::config
