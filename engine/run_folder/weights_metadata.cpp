#include "engine/run_folder/weights_metadata.h"

#include <nlohmann/json.hpp>

#include "engine/protocol/json_text.h"
#include "engine/run_folder/safetensors_header.h"

namespace lockstep::run_folder {
namespace {

/// A list that the metadata holds as text; otherwise null.
nlohmann::json listIn(const nlohmann::json& metadata, const char* key) {
  const auto text = metadata.find(key);
  if (text == metadata.end() || !text->is_string()) return {};
  return protocol::parseJson(text->get_ref<const std::string&>());
}

/// The metadata of a safetensors file; null: it has none.
nlohmann::json metadataOf(const std::filesystem::path& file) {
  const nlohmann::json header = readSafetensorsHeader(file);
  const auto metadata = header.is_object() ? header.find("__metadata__") : header.end();
  return metadata != header.end() && metadata->is_object() ? *metadata : nlohmann::json();
}

}  // namespace

std::vector<coco::Category> categoriesOfWeights(const std::filesystem::path& file) {
  const nlohmann::json metadata = metadataOf(file);
  if (metadata.is_null()) return {};
  const nlohmann::json ids = listIn(metadata, "category_ids"),
                       names = listIn(metadata, "category_names");
  if (!ids.is_array() || !names.is_array() || ids.size() != names.size()) return {};
  std::vector<coco::Category> categories;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!ids[i].is_number_integer() || !names[i].is_string()) return {};
    categories.push_back({CategoryId{ids[i].get<std::int64_t>()}, names[i].get<std::string>()});
  }
  return categories;
}

std::optional<std::string> experimentOfWeights(const std::filesystem::path& file) {
  const nlohmann::json metadata = metadataOf(file);
  if (metadata.is_null()) return std::nullopt;
  const auto text = metadata.find("experiment");
  if (text == metadata.end() || !text->is_string()) return std::nullopt;
  return text->get<std::string>();
}

std::optional<std::int64_t> trainedStepOfWeights(const std::filesystem::path& file) {
  const nlohmann::json metadata = metadataOf(file);
  if (metadata.is_null()) return std::nullopt;
  const auto text = metadata.find("step");
  if (text == metadata.end() || !text->is_string()) return std::nullopt;
  const auto step = protocol::parseJson(text->get_ref<const std::string&>());
  return step.is_number_integer() ? std::optional(step.get<std::int64_t>()) : std::nullopt;
}

std::optional<WeightsFacts> weightsFacts(const std::filesystem::path& file) {
  const nlohmann::json metadata = metadataOf(file);
  if (metadata.is_null()) return std::nullopt;
  const auto norm = metadata.find("norm"), epsilon = metadata.find("norm_epsilon");
  if (norm == metadata.end() || !norm->is_string() || epsilon == metadata.end() ||
      !epsilon->is_string()) {
    return std::nullopt;
  }
  const auto number = protocol::parseJson(epsilon->get_ref<const std::string&>());
  const auto known = base::parseEnum<config::Norm>(norm->get<std::string>());
  if (!number.is_number() || !known) return std::nullopt;
  return WeightsFacts{*known, number.get<double>()};
}

}  // namespace lockstep::run_folder
