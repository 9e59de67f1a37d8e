#pragma once

#include "engine/cli/training_plan.h"

namespace lockstep::cli {

/// `train --replay FILE`: runs the batch of a step that was not finite again and says on standard
/// output what came of it. Returns the exit status: failed when it is not finite again. Throws
/// Error.
int replayStep(const TrainOptions& options);

}  // namespace lockstep::cli
