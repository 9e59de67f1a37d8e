#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/protocol/run_state.h"

namespace lockstep::foreign_runs {

/// meta.yaml of a run in MLflow's file store. Times are seconds since 1970, 0: none.
struct MlFlowMeta {
  std::string runId;
  std::string runName;
  std::optional<protocol::RunState> state;
  double started = 0, ended = 0;
  bool isDeleted = false;
};

/// nullopt for what is no such file. Throws Error when it cannot be read.
std::optional<MlFlowMeta> readMlFlowMeta(const std::filesystem::path& file);

}  // namespace lockstep::foreign_runs
