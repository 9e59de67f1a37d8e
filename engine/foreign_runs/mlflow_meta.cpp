#include "engine/foreign_runs/mlflow_meta.h"

#include <yaml-cpp/yaml.h>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/input_file.h"

namespace lockstep::foreign_runs {
namespace {

/// Numbers of entities/run_status.py.
std::optional<protocol::RunState> stateOf(int status) {
  using enum protocol::RunState;
  switch (status) {
    case 1:
      return Running;
    case 2:
      return Queued;
    case 3:
      return Finished;
    case 4:
      return Failed;
    case 5:
      return Stopped;
    default:
      return std::nullopt;
  }
}

std::string scalarIn(const YAML::Node& meta, const char* key) {
  const YAML::Node value = meta[key];
  return value && value.IsScalar() ? value.Scalar() : std::string();
}

double secondsIn(const YAML::Node& meta, const char* key) {
  const YAML::Node value = meta[key];
  const double milliseconds = value && value.IsScalar() ? value.as<double>(0) : 0;
  return milliseconds > 0 && milliseconds < 1e15 ? milliseconds / 1000 : 0;
}

}  // namespace

std::optional<MlFlowMeta> readMlFlowMeta(const std::filesystem::path& file) {
  constexpr std::uintmax_t kMaxBytes = 1 << 20;
  if (const std::string fault = base::inputFileError(file, "a file of MLflow"); !fault.empty())
    throw Error(file.string() + ": " + fault);
  if (std::filesystem::file_size(file) > kMaxBytes) return std::nullopt;
  try {
    const YAML::Node meta = YAML::Load(base::readFile(file));
    MlFlowMeta read;
    if (!meta.IsMap()) return std::nullopt;
    read.runId = scalarIn(meta, "run_id");
    if (read.runId.empty()) read.runId = scalarIn(meta, "run_uuid");
    if (read.runId.empty()) return std::nullopt;
    read.runName = scalarIn(meta, "run_name");
    if (const YAML::Node status = meta["status"]; status && status.IsScalar())
      read.state = stateOf(status.as<int>(0));
    read.started = secondsIn(meta, "start_time");
    read.ended = secondsIn(meta, "end_time");
    read.isDeleted = scalarIn(meta, "lifecycle_stage") == "deleted";
    return read;
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
}

}  // namespace lockstep::foreign_runs
