#pragma once

#include <cstdint>

#include "engine/run_folder/run_folder.h"

namespace lockstep::cli {

/// Copies into an empty run folder the state of another run at `lastStep`, which has a checkpoint:
/// that checkpoint, the event log, and the evaluations and predictions up to that step. The best
/// evaluation will be the new run's own. Files that never change are hard links where the file
/// system supports them. Throws Error.
void copyHistory(const run_folder::Layout& from, const run_folder::Layout& to,
                 std::int64_t lastStep);

}  // namespace lockstep::cli
