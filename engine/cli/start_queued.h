#pragma once

#include <filesystem>

namespace lockstep::cli {

/// Lets the runs in `parent` that waited in the queue of this machine, and whose process is gone,
/// wait again, in their order. Prints their folders, and why a run cannot; returns the exit status.
/// Returns in each child, too, when its training has ended.
int startQueuedRuns(const std::filesystem::path& parent);

}  // namespace lockstep::cli
