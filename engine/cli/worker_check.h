#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/config/load.h"
#include "engine/protocol/jobs.h"

namespace lockstep::cli {

/// What only a worker can look at: whether the weights fit, and the pixels of some images, evenly
/// spread: always the same ones. `job`: its experiment is this one. Throws Error when the worker
/// fails.
protocol::CheckResult askWorkerCheck(const config::Experiment& experiment,
                                     const std::filesystem::path& workerProgram,
                                     protocol::CheckJob job = {});

/// The same as issues, without their places: `config check --data`. `summary` gets words for what
/// was looked at.
std::vector<config::ConfigIssue> issuesOf(const protocol::CheckResult& check, std::string& summary);

}  // namespace lockstep::cli
