#include "engine/checkpoint/checkpoint.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

namespace lockstep::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kStateFormat = 1;
constexpr const char* kModelFile = "model.safetensors";
constexpr const char* kOptimizerFile = "optimizer.safetensors";
constexpr const char* kStateFile = "state.json";

Json numberToJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

double numberFromJson(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  throw Error("'" + text + "' is no number");
}

Json toJson(const TrainingState& state) {
  Json json{{"format", kStateFormat},
            {"version", state.version},
            {"step", state.step},
            {"best", nullptr}};
  if (state.best) {
    json["best"] = {{"metric", state.best->metric},
                    {"value", numberToJson(state.best->value)},
                    {"step", state.best->step}};
  }
  json["seed"] = state.seed;
  json["batch_size"] = state.batchSize;
  json["accumulate"] = state.accumulate;
  json["workers"] = state.workers;
  json["cpu_threads"] = state.cpuThreads;
  json["device"] = state.device;
  json["optimizer"] = state.optimizer;
  return json;
}

TrainingState fromJson(const Json& json) {
  if (json.at("format").get<int>() != kStateFormat)
    throw Error("its format is of another version of Lockstep");
  TrainingState state;
  json.at("version").get_to(state.version);
  json.at("step").get_to(state.step);
  if (state.step < 0) throw Error("its step is negative");
  if (const Json& best = json.at("best"); !best.is_null()) {
    state.best = BestSoFar{best.at("metric").get<std::string>(), numberFromJson(best.at("value")),
                           best.at("step").get<std::int64_t>()};
  }
  json.at("seed").get_to(state.seed);
  json.at("batch_size").get_to(state.batchSize);
  json.at("accumulate").get_to(state.accumulate);
  json.at("workers").get_to(state.workers);
  json.at("cpu_threads").get_to(state.cpuThreads);
  json.at("device").get_to(state.device);
  json.at("optimizer").get_to(state.optimizer);
  return state;
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
  try {
    ModelFacts facts;
    Json::parse(metadata.at("category_ids")).get_to(facts.categoryIds);
    Json::parse(metadata.at("category_names")).get_to(facts.categoryNames);
    facts.backbone = metadata.at("backbone");
    facts.norm = metadata.at("norm");
    facts.normEpsilon = Json::parse(metadata.at("norm_epsilon")).get<double>();
    if (facts.categoryIds.size() != facts.categoryNames.size()) {
      throw Error("the metadata of the weights name other categories than they number");
    }
    return facts;
  } catch (const Json::exception&) {
    throw Error("the metadata of the weights (categories, norm_epsilon) are malformed");
  }
}

void saveCheckpoint(const std::filesystem::path& folder, const NamedTensors& model,
                    const ModelFacts& facts, const NamedTensors& optimizer,
                    const TrainingState& state) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(folder.string() + ": cannot be made: " + failure.message());
  writeSafetensors(folder / kModelFile, model, toMetadata(facts));
  writeSafetensors(folder / kOptimizerFile, optimizer);
  base::writeFileAtomically(folder / kStateFile, toJson(state).dump(2) + "\n");
  base::syncToDisk(folder);
}

Checkpoint loadCheckpoint(const std::filesystem::path& folder) {
  return {readSafetensors(folder / kModelFile), readSafetensors(folder / kOptimizerFile).tensors,
          loadTrainingState(folder)};
}

TrainingState loadTrainingState(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kStateFile;
  const std::string text = base::readFile(file);
  try {
    return fromJson(Json::parse(text));
  } catch (const Json::exception& fault) {
    throw Error(file.string() + ": is no state of a training run: " + fault.what());
  } catch (const Error& fault) {
    throw Error(file.string() + ": " + fault.what());
  }
}

}  // namespace lockstep::checkpoint
