#include "engine/pack/manifest.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"

namespace lockstep::pack {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "lockstep-packed-run";
constexpr int kVersion = 1;

}  // namespace

std::string writeManifest(const Manifest& manifest) {
  Json files = Json::object();
  for (const auto& [path, member] : manifest.datasetFiles) files[path.string()] = member.string();
  const Json json{{"format", kFormat},
                  {"version", kVersion},
                  {"run", manifest.run},
                  {"packed", manifest.packed},
                  {"step", manifest.step},
                  {"weights_step", manifest.weightsStep ? Json(*manifest.weightsStep) : Json()},
                  {"members", manifest.members},
                  {"dataset_files", std::move(files)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Manifest readManifest(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("format", Json()) != kFormat)
    throw Error("it is no packed run: it does not begin with a manifest");
  try {
    if (const int version = json.at("version").get<int>(); version > kVersion) {
      throw Error("it was packed by a later version of Lockstep (format " +
                  std::to_string(version) + "; this one reads up to " + std::to_string(kVersion) +
                  ")");
    }
    Manifest manifest{json.at("run").get<std::string>(), json.at("packed").get<double>(),
                      json.at("step").get<std::int64_t>()};
    if (const Json& step = json.at("weights_step"); !step.is_null())
      manifest.weightsStep = step.get<std::int64_t>();
    manifest.members = json.at("members").get<std::size_t>();
    for (const auto& [path, member] : json.at("dataset_files").items())
      manifest.datasetFiles.emplace(path, member.get<std::string>());
    return manifest;
  } catch (const Json::exception&) {
    throw Error("its manifest is damaged");
  }
}

}  // namespace lockstep::pack
