#pragma once

#include <cstdint>

#include "engine/config/experiment.h"

namespace lockstep::config {

/// What is due after a training step.
struct Due {
  bool log = false, losses = false, averagePrecision = false, predictions = false,
       checkpoint = false;
};
/// What the trainer does after `step`. The experiment's durations must be in steps. `isLast`: no
/// step follows.
Due dueAfter(const Experiment& experiment, std::int64_t step, bool isLast);

/// Whether checkpoint.every, which must be in steps, asks for one of `step`.
bool isCheckpointDue(const CheckpointConfig& checkpoint, std::int64_t step);

/// Whether `step` records monitor.tensor_stats_every, which must be in steps.
bool isTensorStatsDue(const Experiment& experiment, std::int64_t step);

/// How often each is due in a training of solver.max_steps.
struct TimesDue {
  std::int64_t log = 0, losses = 0, averagePrecision = 0, predictions = 0, checkpoint = 0;
};
/// Counts what dueAfter() gives over all steps, without a loop over them. Durations must be in
/// steps.
TimesDue timesDue(const Experiment& experiment);

}  // namespace lockstep::config
