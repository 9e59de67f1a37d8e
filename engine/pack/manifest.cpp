#include "engine/pack/manifest.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/protocol/json_text.h"

namespace lockstep::pack {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "lockstep-packed-run";
constexpr int kVersion = 1;
constexpr std::size_t kChecksumDigits = 8;

/// Always as long.
std::string hexadecimal(std::uint32_t checksum) {
  std::array<char, kChecksumDigits + 1> text{};
  std::snprintf(text.data(), text.size(), "%08x", checksum);
  return text.data();
}

Error damaged() { return Error("its manifest is damaged"); }

std::uint32_t checksumOf(const std::string& text) {
  std::uint32_t checksum = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, checksum, 16);
  if (text.size() != kChecksumDigits || error != std::errc() || at != end) throw damaged();
  return checksum;
}

void requireKnownVersion(const Json& version) {
  if (!version.is_number() || version < 1) throw damaged();
  if (version > kVersion)
    throw Error("it was packed by a later version of Lockstep (format " + version.dump() +
                "; this one reads up to " + std::to_string(kVersion) + ")");
}

std::uint64_t countOf(const Json& number) {
  if (!number.is_number_unsigned()) throw damaged();
  return number.get<std::uint64_t>();
}

std::vector<std::uint32_t> checksumsOf(const Json& manifest, std::size_t members) {
  std::vector<std::uint32_t> checksums;
  if (!manifest.contains("checksums")) return checksums;
  for (const Json& each : manifest["checksums"])
    checksums.push_back(checksumOf(each.get<std::string>()));
  if (checksums.size() != members) throw damaged();
  return checksums;
}

}  // namespace

std::string writeManifest(const Manifest& manifest) {
  Json files = Json::object();
  for (const auto& [path, member] : manifest.datasetFiles) files[path.string()] = member.string();
  Json checksums = Json::array();
  for (const std::uint32_t checksum : manifest.checksums)
    checksums.push_back(hexadecimal(checksum));
  const Json json{{"format", kFormat},
                  {"version", kVersion},
                  {"run", manifest.run},
                  {"packed", manifest.packed},
                  {"step", manifest.step},
                  {"weights_step", manifest.weightsStep ? Json(*manifest.weightsStep) : Json()},
                  {"members", manifest.members},
                  {"checksums", std::move(checksums)},
                  {"dataset_files", std::move(files)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Manifest readManifest(const std::string& text) {
  const Json json = protocol::parseOrderedJson(text);
  if (!json.is_object() || json.value("format", Json()) != kFormat)
    throw Error("it is not a packed run: it does not begin with a manifest");
  try {
    requireKnownVersion(json.at("version"));
    Manifest manifest{json.at("run").get<std::string>(), json.at("packed").get<double>(),
                      static_cast<std::int64_t>(countOf(json.at("step")))};
    if (const Json& step = json.at("weights_step"); !step.is_null())
      manifest.weightsStep = static_cast<std::int64_t>(countOf(step));
    manifest.members = countOf(json.at("members"));
    manifest.checksums = checksumsOf(json, manifest.members);
    for (const auto& [path, member] : json.at("dataset_files").items())
      manifest.datasetFiles.emplace(path, member.get<std::string>());
    return manifest;
  } catch (const Json::exception&) {
    throw damaged();
  }
}

}  // namespace lockstep::pack
