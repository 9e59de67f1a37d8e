#include "engine/cli/weights_facts.h"

#include <nlohmann/json.hpp>

#include "engine/run_folder/safetensors_header.h"

namespace lockstep::cli {

std::optional<WeightsFacts> weightsFacts(const std::filesystem::path& file) {
  const nlohmann::json header = run_folder::readSafetensorsHeader(file);
  const auto metadata = header.is_object() ? header.find("__metadata__") : header.end();
  if (metadata == header.end() || !metadata->is_object()) return std::nullopt;
  const auto norm = metadata->find("norm"), epsilon = metadata->find("norm_epsilon");
  if (norm == metadata->end() || !norm->is_string() || epsilon == metadata->end() ||
      !epsilon->is_string()) {
    return std::nullopt;
  }
  const auto number = nlohmann::json::parse(epsilon->get<std::string>(), nullptr, false);
  const auto known = base::parseEnum<config::Norm>(norm->get<std::string>());
  if (!number.is_number() || !known) return std::nullopt;
  return WeightsFacts{*known, number.get<double>()};
}

}  // namespace lockstep::cli
