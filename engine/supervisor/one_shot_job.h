#pragma once

#include <filesystem>
#include <string>

#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/rank_group.h"

namespace lockstep::supervisor {

/// Runs one job in ranks of its own and returns rank 0's result. Progress and the worker's warnings
/// go to standard error. Throws Error with the worker's reason and exit status; a signal ends the
/// ranks (ExitStatus::Killed), once they have removed what they have half made.
std::string runOneShotJob(const std::filesystem::path& workerProgram, const protocol::Job& job,
                          const LocalRanks& ranks = {});

}  // namespace lockstep::supervisor
