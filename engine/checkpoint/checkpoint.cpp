#include "engine/checkpoint/checkpoint.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/checkpoint/weights_layout.h"

namespace lockstep::checkpoint {
namespace {

using Json = nlohmann::json;

constexpr const char* kModelFile = "model.safetensors";
constexpr const char* kOptimizerFile = "optimizer.safetensors";

run_folder::FileChecksum writeWithChecksum(const std::filesystem::path& folder, const char* name,
                                           const NamedTensors& tensors, const Metadata& metadata) {
  const WrittenFile written = writeSafetensors(folder / name, tensors, metadata);
  return {name, static_cast<std::int64_t>(written.bytes), written.crc32c};
}

/// nullopt unless all are integers; nlohmann converts fractions and booleans to integers.
std::optional<std::vector<std::int64_t>> parseIntegers(const Json& list) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!list.is_array()) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Json& number : list) {
    const bool isInteger = number.is_number_unsigned() ? number.get<std::uint64_t>() <= kMax
                                                       : number.is_number_integer();
    if (!isInteger) return std::nullopt;
    numbers.push_back(number.get<std::int64_t>());
  }
  return numbers;
}

}  // namespace

Metadata toMetadata(const ModelFacts& facts) {
  Metadata metadata{
      {"format", "pt"},
      {"category_ids", Json(facts.categoryIds).dump()},
      {"category_names",
       Json(facts.categoryNames).dump(-1, ' ', false, Json::error_handler_t::replace)},
      {"backbone", facts.backbone},
      {"norm", facts.norm},
      {"norm_epsilon", Json(facts.normEpsilon).dump()}};
  if (facts.step > 0) metadata.emplace("step", std::to_string(facts.step));
  if (!facts.experiment.empty()) metadata.emplace("experiment", facts.experiment);
  return metadata;
}

std::optional<ModelFacts> modelFacts(const SafetensorsFile& file) {
  const Metadata& metadata = file.metadata;
  for (const char* key : {"category_ids", "category_names", "backbone", "norm", "norm_epsilon"}) {
    if (!metadata.contains(key)) return std::nullopt;
  }
  const std::string where = file.name.empty() ? "the weights" : file.name;
  const Error invalid(where + ": invalid metadata (categories, norm_epsilon)");
  ModelFacts facts;
  try {
    auto ids = parseIntegers(Json::parse(metadata.at("category_ids")));
    if (!ids) throw invalid;
    facts.categoryIds = *std::move(ids);
    Json::parse(metadata.at("category_names")).get_to(facts.categoryNames);
    facts.backbone = metadata.at("backbone");
    facts.norm = metadata.at("norm");
    facts.normEpsilon = Json::parse(metadata.at("norm_epsilon")).get<double>();
    if (const auto step = metadata.find("step"); step != metadata.end())
      facts.step = Json::parse(step->second).get<std::int64_t>();
    if (const auto text = metadata.find("experiment"); text != metadata.end())
      facts.experiment = text->second;
  } catch (const Json::exception&) {
    throw invalid;
  }
  if (facts.categoryIds.size() != facts.categoryNames.size())
    throw Error(where + ": metadata has " + std::to_string(facts.categoryIds.size()) +
                " category ids but " + std::to_string(facts.categoryNames.size()) + " names");
  return facts;
}

void saveCheckpoint(const std::filesystem::path& folder, const NamedTensors& model,
                    ModelFacts facts, const NamedTensors& optimizer,
                    run_folder::TrainingState state) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(folder.string() + ": cannot be created: " + failure.message());
  facts.step = state.step;
  state.files = {writeWithChecksum(folder, kModelFile, inFileShapes(model), toMetadata(facts)),
                 writeWithChecksum(folder, kOptimizerFile, inFileShapes(optimizer), {})};
  run_folder::writeTrainingState(folder, state);
  base::syncToDisk(folder);
}

Checkpoint loadCheckpoint(const std::filesystem::path& folder) {
  return {readSafetensors(folder / kModelFile), readSafetensors(folder / kOptimizerFile).tensors,
          run_folder::readTrainingState(folder)};
}

}  // namespace lockstep::checkpoint
