#pragma once

#include <filesystem>

#include "engine/base/error.h"
#include "engine/supervisor/local_ranks.h"
#include "engine/supervisor/stall_watch.h"

namespace lockstep::supervisor {

struct FollowerSetup {
  std::filesystem::path workerProgram;
  LocalRanks ranks;
  StallLimits limits;
  bool onGpus = false;
};

/// Runs the ranks of a node other than 0 until the training ends: without a run folder and a
/// socket, and with the lines of the ranks on standard error as `[rank N] …`. A signal asks rank 0
/// to stop, through the ranks, and ends ranks that have not joined; a second one kills. Blocks.
/// Returns Done or Stopped; throws Error with the rank that failed, and where.
ExitStatus runFollower(const FollowerSetup& setup);

}  // namespace lockstep::supervisor
