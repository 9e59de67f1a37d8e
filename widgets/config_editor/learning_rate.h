#pragma once

#include <cstdint>

#include "engine/config/experiment.h"

namespace lockstep::widgets {

/// Learning rate of an update (1 … max_steps) as the solver uses it: the schedule at update - 1,
/// times the linear warm-up. Durations of `solver` must be in steps (config::resolveDurations).
double learningRateAt(const config::SolverConfig& solver, std::int64_t update);

}  // namespace lockstep::widgets
