#pragma once

#include "engine/run_folder/training_state.h"

namespace lockstep::cli {

/// Copies into an empty run folder the state of another run at `point`: that checkpoint and the
/// best one, the event log, and the evaluations and predictions up to that step. Files that never
/// change are hard links where the file system supports them. Throws Error.
void copyHistory(const run_folder::Layout& from, const run_folder::Layout& to,
                 const run_folder::ResumePoint& point);

}  // namespace lockstep::cli
