#pragma once

#include <filesystem>
#include <string>

#include "engine/protocol/worker_messages.h"

namespace lockstep::supervisor {

/// Runs one job in a worker of its own and returns its result. Progress and the worker's warnings
/// go to standard error. Throws Error with the worker's reason and exit status; a signal ends the
/// worker (ExitStatus::Killed), once it has removed what it has half made.
std::string runOneShotJob(const std::filesystem::path& workerProgram, const protocol::Job& job);

}  // namespace lockstep::supervisor
