#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/foreign_runs/find_runs.h"
#include "engine/protocol/run_state.h"

namespace lockstep::foreign_runs {

/// What a list shows of a run, without reading its whole log. Times are seconds since 1970, 0:
/// unknown.
struct ForeignRunSummary {
  std::string name;  ///< what MLflow calls it, else its path below the searched folder
  double started = 0;
  double changed = 0;  ///< last write to its files
  std::optional<std::int64_t> lastStep;
  std::optional<std::int64_t> maxSteps;  ///< as detectron2's config.yaml has it
  /// MLflow alone records it: a run that was killed may be running there for ever. Nothing: the
  /// program does not say, and whether a file grows does not tell a pause from an end.
  std::optional<protocol::RunState> state;
};

/// Faults of files leave members empty; reading the run reports them.
ForeignRunSummary summarise(const ForeignRun& run);

/// The run's hyper-parameters as text by dotted key: detectron2's config.yaml, Lightning's
/// hparams.yaml, MLflow's params; empty for mmengine, whose configuration is Python. Throws Error
/// for a file that cannot be read.
std::map<std::string, std::string> parametersOf(const ForeignRun& run);

/// The values of a YAML file as text by dotted key, lists as [a, b]; empty without a file. Throws
/// Error.
std::map<std::string, std::string> parametersInYaml(const fs::path& file);

}  // namespace lockstep::foreign_runs
