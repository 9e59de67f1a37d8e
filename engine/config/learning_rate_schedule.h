#pragma once

#include <cstdint>
#include <vector>

#include "engine/config/experiment.h"

namespace lockstep::config {

/// The learning rate of every update, a pure function of the step: what the training uses and what
/// is shown of it beforehand. Durations of the config must be steps already.
class LearningRateSchedule {
 public:
  explicit LearningRateSchedule(const SolverConfig& config);
  /// Of update `step`, 1 … max_steps: the schedule at step-1 times the warm-up.
  double learningRate(std::int64_t step) const;
  /// Steps after which the rate may jump or bend: milestones and the end of the warm-up.
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
