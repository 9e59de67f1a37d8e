#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/config/experiment.h"

namespace lockstep::config {

/// Learning rates that rise exponentially over the steps 1 … `steps`, for a range test. No value of
/// solver.schedule.
struct LearningRateSweep {
  double lowest = 0, highest = 0;
  std::int64_t steps = 0;
};

/// The learning rate of every step, a pure function of the step. Training uses it, and the app
/// plots it before training. Durations of the config must be in steps.
class LearningRateSchedule {
 public:
  explicit LearningRateSchedule(const SolverConfig& config);
  explicit LearningRateSchedule(const LearningRateSweep& sweep) : sweep_(sweep) {}
  /// step: 1 … max_steps. The schedule at step - 1, times the warm-up factor.
  double learningRate(std::int64_t step) const;
  /// Steps after which the curve may jump or have a kink: milestones and the end of the warm-up.
  std::vector<std::int64_t> corners() const;

 private:
  double decay(std::int64_t doneSteps) const;
  double warmup(std::int64_t doneSteps) const;

  std::optional<LearningRateSweep> sweep_;  ///< instead of what follows
  Schedule kind_ = Schedule::Constant;
  double baseLr_ = 0, gamma_ = 1, warmupFactor_ = 1;
  std::vector<std::int64_t> milestones_;
  std::int64_t warmupSteps_ = 0, maxSteps_ = 0;
};

}  // namespace lockstep::config
