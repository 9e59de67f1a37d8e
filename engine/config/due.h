#pragma once

#include <cstdint>

#include "engine/config/experiment.h"

namespace lockstep::config {

/// What is due after a step of the training.
struct Due {
  bool log = false, losses = false, averagePrecision = false, predictions = false,
       checkpoint = false;
};
/// By the experiment alone, whose durations must be steps already: the trainer goes by it.
/// `isLast`: no step comes after.
Due dueAfter(const Experiment& experiment, std::int64_t step, bool isLast);

/// Steps of a training of solver.max_steps after which each is due.
struct TimesDue {
  std::int64_t log = 0, losses = 0, averagePrecision = 0, predictions = 0, checkpoint = 0;
};
/// What dueAfter() says of every step, counted without asking for each. Durations must be steps.
TimesDue timesDue(const Experiment& experiment);

}  // namespace lockstep::config
