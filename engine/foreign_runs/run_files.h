#pragma once

#include <vector>

#include "engine/foreign_runs/find_runs.h"

namespace lockstep::foreign_runs {

/// metrics.json or scalars.json of a run of detectron2 or mmengine.
fs::path linesOf(const ForeignRun& run);

/// The files that hold a run's values. Throws Error.
std::vector<fs::path> filesOf(const ForeignRun& run);

/// When a run was started, in seconds since 1970; 0: its files do not say. mmengine's folder is
/// named by it; of detectron2's and TensorBoard's it is in the name of the first event file.
double startOf(const ForeignRun& run);

}  // namespace lockstep::foreign_runs
