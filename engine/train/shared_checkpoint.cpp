#include "engine/train/shared_checkpoint.h"

#include <torch/types.h>

#include <nlohmann/json.hpp>

namespace lockstep::train {
namespace {

using Json = nlohmann::json;
using checkpoint::NamedTensors;

/// Names, types and shapes.
Json headerOf(const NamedTensors& tensors) {
  Json header = Json::array();
  for (const auto& [name, tensor] : tensors)
    header.push_back({name, static_cast<int>(tensor.scalar_type()), tensor.sizes().vec()});
  return header;
}

NamedTensors emptyTensors(const Json& header) {
  NamedTensors tensors;
  for (const Json& entry : header) {
    tensors.emplace_back(entry[0].get<std::string>(),
                         at::empty(entry[2].get<std::vector<std::int64_t>>(),
                                   static_cast<at::ScalarType>(entry[1].get<int>())));
  }
  return tensors;
}

void shareTensors(dist::World& world, const NamedTensors& tensors) {
  std::vector<at::Tensor> all;
  for (const auto& [name, tensor] : tensors) all.push_back(tensor);
  world.broadcast(all);
}

}  // namespace

checkpoint::Checkpoint loadSharedCheckpoint(dist::World& world,
                                            const std::filesystem::path& folder) {
  checkpoint::Checkpoint saved;
  if (world.rank() == 0) saved = checkpoint::loadCheckpoint(folder);
  if (world.size() == 1) return saved;
  const Json header = Json::parse(world.broadcastBytes(Json{
      {"name", saved.model.name},
      {"metadata", saved.model.metadata},
      {"model", headerOf(saved.model.tensors)},
      {"optimizer", headerOf(saved.optimizer)},
      {"state",
       run_folder::encodeTrainingState(saved.state)}}.dump()));
  if (world.rank() != 0) {
    saved.model = {emptyTensors(header["model"]), header["metadata"], header["name"]};
    saved.optimizer = emptyTensors(header["optimizer"]);
    saved.state = run_folder::decodeTrainingState(header["state"], "rank 0's state");
  }
  shareTensors(world, saved.model.tensors);
  shareTensors(world, saved.optimizer);
  return saved;
}

}  // namespace lockstep::train
