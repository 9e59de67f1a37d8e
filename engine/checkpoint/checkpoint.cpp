#include "engine/checkpoint/checkpoint.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/checkpoint/weights_layout.h"

namespace lockstep::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kModelFile = "model.safetensors";
constexpr const char* kOptimizerFile = "optimizer.safetensors";

run_folder::FileSeal writeSealed(const std::filesystem::path& folder, const char* name,
                                 const NamedTensors& tensors, const Metadata& metadata) {
  const WrittenFile written = writeSafetensors(folder / name, tensors, metadata);
  return {name, static_cast<std::int64_t>(written.bytes), written.crc32c};
}

/// Nothing when they are something else; nlohmann takes fractions and true for whole numbers.
std::optional<std::vector<std::int64_t>> wholeNumbers(const Json& list) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!list.is_array()) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Json& number : list) {
    const bool isWhole = number.is_number_unsigned() ? number.get<std::uint64_t>() <= kMost
                                                     : number.is_number_integer();
    if (!isWhole) return std::nullopt;
    numbers.push_back(number.get<std::int64_t>());
  }
  return numbers;
}

}  // namespace

Metadata toMetadata(const ModelFacts& facts) {
  return {{"format", "pt"},
          {"category_ids", Json(facts.categoryIds).dump()},
          {"category_names",
           Json(facts.categoryNames).dump(-1, ' ', false, Json::error_handler_t::replace)},
          {"backbone", facts.backbone},
          {"norm", facts.norm},
          {"norm_epsilon", Json(facts.normEpsilon).dump()}};
}

std::optional<ModelFacts> modelFacts(const SafetensorsFile& file) {
  const Metadata& metadata = file.metadata;
  for (const char* key : {"category_ids", "category_names", "backbone", "norm", "norm_epsilon"}) {
    if (!metadata.contains(key)) return std::nullopt;
  }
  const std::string where = file.name.empty() ? "the weights" : file.name;
  const Error malformed(where + ": its metadata (categories, norm_epsilon) are malformed");
  ModelFacts facts;
  try {
    auto ids = wholeNumbers(Json::parse(metadata.at("category_ids")));
    if (!ids) throw malformed;
    facts.categoryIds = *std::move(ids);
    Json::parse(metadata.at("category_names")).get_to(facts.categoryNames);
    facts.backbone = metadata.at("backbone");
    facts.norm = metadata.at("norm");
    facts.normEpsilon = Json::parse(metadata.at("norm_epsilon")).get<double>();
  } catch (const Json::exception&) {
    throw malformed;
  }
  if (facts.categoryIds.size() != facts.categoryNames.size())
    throw Error(where + ": its metadata name other categories than they number");
  return facts;
}

void saveCheckpoint(const std::filesystem::path& folder, const NamedTensors& model,
                    const ModelFacts& facts, const NamedTensors& optimizer,
                    run_folder::TrainingState state) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(folder.string() + ": cannot be made: " + failure.message());
  state.files = {writeSealed(folder, kModelFile, inFileShapes(model), toMetadata(facts)),
                 writeSealed(folder, kOptimizerFile, inFileShapes(optimizer), {})};
  run_folder::writeTrainingState(folder, state);
  base::syncToDisk(folder);
}

Checkpoint loadCheckpoint(const std::filesystem::path& folder) {
  return {readSafetensors(folder / kModelFile), readSafetensors(folder / kOptimizerFile).tensors,
          run_folder::readTrainingState(folder)};
}

}  // namespace lockstep::checkpoint
