#include <yaml-cpp/yaml.h>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/foreign_runs/metric_files.h"
#include "engine/foreign_runs/run_summary.h"

namespace lockstep::foreign_runs {
namespace {

using Parameters = std::map<std::string, std::string>;

constexpr std::uintmax_t kMaxFileBytes = 4 << 20;
constexpr std::size_t kMaxParameters = 10'000, kMaxValueBytes = 10'000;
constexpr int kMaxYamlDepth = 30;

std::string parameterText(const fs::path& file) {
  if (const std::string fault = base::inputFileError(file, "a file"); !fault.empty())
    throw Error(file.string() + ": " + fault);
  std::error_code error;
  if (fs::file_size(file, error) > kMaxFileBytes)
    throw Error(file.string() + ": is larger than 4 MiB; expected hyper-parameters");
  return base::readFile(file);
}

std::string listText(const YAML::Node& list) {
  YAML::Emitter text;
  text.SetSeqFormat(YAML::Flow);
  text.SetMapFormat(YAML::Flow);
  text << list;
  std::string result = text.c_str();
  for (char& character : result)
    if (character == '\n') character = ' ';
  return result;
}

/// Aliases make a small file a large tree: it is followed up to a number of keys.
void addAll(const YAML::Node& node, const std::string& key, int depth, Parameters& parameters) {
  if (parameters.size() >= kMaxParameters || depth > kMaxYamlDepth) return;
  if (node.IsMap()) {
    for (const auto& member : node) {
      if (!member.first.IsScalar()) continue;
      const std::string& name = member.first.Scalar();
      addAll(member.second, key.empty() ? name : key + "." + name, depth + 1, parameters);
    }
    return;
  }
  if (key.empty()) return;
  std::string text = node.IsScalar() ? node.Scalar() : node.IsSequence() ? listText(node) : "null";
  parameters[key] = text.substr(0, kMaxValueBytes);
}

Parameters parametersInFiles(const fs::path& folder) {
  Parameters parameters;
  for (const auto& [name, file] : filesBelow(folder)) {
    if (parameters.size() >= kMaxParameters) break;
    parameters[name] = parameterText(file).substr(0, kMaxValueBytes);
  }
  return parameters;
}

}  // namespace

std::map<std::string, std::string> parametersInYaml(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  Parameters parameters;
  try {
    addAll(YAML::Load(parameterText(file)), "", 0, parameters);
  } catch (const YAML::Exception& fault) {
    throw Error(file.string() + ":" + std::to_string(fault.mark.line + 1) +
                ": is not valid YAML: " + fault.msg);
  }
  return parameters;
}

std::map<std::string, std::string> parametersOf(const ForeignRun& run) {
  switch (run.source) {
    case Source::TensorBoard:
      return parametersInYaml(run.folder / "hparams.yaml");
    case Source::Detectron2:
      return parametersInYaml(run.folder / "config.yaml");
    case Source::MlFlow:
      return parametersInFiles(run.folder / "params");
    case Source::MmEngine:
      break;
  }
  return {};
}

}  // namespace lockstep::foreign_runs
