#pragma once

#include "engine/run_folder/training_state.h"

namespace lockstep::cli {

/// Copies into an empty run folder what another run had when it was at `point`: that checkpoint and
/// the best one, the event log, and the evaluations and predictions up to there. Files that never
/// change share their place on the disk where the file system can. Throws Error.
void copyHistory(const run_folder::Layout& from, const run_folder::Layout& to,
                 const run_folder::ResumePoint& point);

}  // namespace lockstep::cli
