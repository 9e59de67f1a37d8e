#pragma once

#include "engine/cli/training_plan.h"

namespace lockstep::cli {

/// `train --replay FILE`: recomputes the batch of a non-finite step and prints its losses and
/// gradient norm. Returns the exit status: failed when they are non-finite again. Throws Error.
int replayStep(const TrainOptions& options);

}  // namespace lockstep::cli
