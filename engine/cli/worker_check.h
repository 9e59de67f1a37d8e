#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/config/load.h"
#include "engine/protocol/jobs.h"

namespace lockstep::cli {

/// Checks that need a worker: whether the weights fit, and the pixels of some images, evenly spread
/// and always the same. The experiment of `job` is set to this one. Throws Error when the worker
/// fails.
protocol::CheckResult askWorkerCheck(const config::Experiment& experiment,
                                     const std::filesystem::path& workerProgram,
                                     protocol::CheckJob job = {});

/// The result as issues without file and line, for `config check --data`. Appends to `summary` how
/// many images were checked.
std::vector<config::ConfigIssue> issuesOf(const protocol::CheckResult& check, std::string& summary);

}  // namespace lockstep::cli
