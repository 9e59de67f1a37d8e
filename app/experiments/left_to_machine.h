#pragma once

#include "engine/config/experiment.h"

namespace lockstep::app {

/// A run's config.yaml says what was chosen on its machine. What `wanted` leaves to the machine is
/// left to it in `run`, too.
inline void leaveToMachine(const config::RuntimeConfig& wanted, config::RuntimeConfig& run) {
  if (!wanted.device) run.device.reset();
  if (!wanted.precision) run.precision.reset();
  if (!wanted.backend) run.backend.reset();
  if (wanted.workers == 0) run.workers = 0;
  if (wanted.cpuThreads == 0) run.cpuThreads = 0;
}

}  // namespace lockstep::app
