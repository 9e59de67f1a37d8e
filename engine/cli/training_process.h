#pragma once

#include <functional>

#include "engine/cli/training_plan.h"
#include "engine/supervisor/detach.h"

namespace lockstep::cli {

/// Runs the training in this process; blocks. Returns the exit status. Any failure is recorded in
/// the run folder; the first error is rethrown. onListening (may be null) is called when the socket
/// answers.
int runTraining(const TrainingPlan& plan, const std::function<void()>& onListening);

/// Runs it in a child. The parent prints the run folder when the socket answers; the child returns
/// from here, too, when the training has ended. Throws as runDetached().
supervisor::Detached trainDetached(const TrainingPlan& plan);

}  // namespace lockstep::cli
