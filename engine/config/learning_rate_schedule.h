#pragma once

#include <cstdint>
#include <vector>

#include "engine/config/experiment.h"

namespace lockstep::config {

/// The learning rate of every step, a pure function of the step. Training uses it, and the app
/// plots it before training. Durations of the config must be in steps.
class LearningRateSchedule {
 public:
  explicit LearningRateSchedule(const SolverConfig& config);
  /// step: 1 … max_steps. The schedule at step - 1, times the warm-up factor.
  double learningRate(std::int64_t step) const;
  /// Steps after which the curve may jump or have a kink: milestones and the end of the warm-up.
  std::vector<std::int64_t> corners() const;

 private:
  double decay(std::int64_t doneSteps) const;
  double warmup(std::int64_t doneSteps) const;

  Schedule kind_;
  double baseLr_, gamma_, warmupFactor_;
  std::vector<std::int64_t> milestones_;
  std::int64_t warmupSteps_, maxSteps_;
};

}  // namespace lockstep::config
