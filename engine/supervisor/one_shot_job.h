#pragma once

#include <filesystem>
#include <utility>
#include <variant>

#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/local_ranks.h"

namespace lockstep::supervisor {

/// Runs one job in ranks of its own and returns rank 0's result. Progress and the worker's warnings
/// go to standard error. Throws Error with the worker's reason and exit status; a signal ends the
/// ranks (ExitStatus::Killed), after they have removed partial output.
protocol::Result runOneShotWork(const std::filesystem::path& workerProgram, protocol::Work work,
                                const LocalRanks& ranks);
template <typename Job>
typename Job::Result runOneShotJob(const std::filesystem::path& workerProgram, Job job,
                                   const LocalRanks& ranks = {}) {
  return std::get<typename Job::Result>(runOneShotWork(workerProgram, std::move(job), ranks));
}

}  // namespace lockstep::supervisor
