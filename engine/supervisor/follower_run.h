#pragma once

#include <filesystem>

#include "engine/base/error.h"
#include "engine/supervisor/rank_group.h"

namespace lockstep::supervisor {

struct FollowerSetup {
  std::filesystem::path workerProgram;
  LocalRanks ranks;
  StallLimits limits;
};

/// Runs the ranks of a node other than 0 to the end of the training that rank 0 leads: no run
/// folder, no socket, and everything they say on standard error as `[rank N] …`. A signal asks
/// rank 0 to stop, through the ranks; a second one kills. Blocks. Returns Done or Stopped; throws
/// Error with the rank that failed, and where.
ExitStatus runFollower(const FollowerSetup& setup);

}  // namespace lockstep::supervisor
