#include "engine/model/layer.h"

#include <torch/types.h>

#include <algorithm>

namespace lockstep::model {

at::Tensor Layer::addParameter(const std::string& name, at::IntArrayRef sizes,
                               const Initialiser& initialiser) {
  initialisers_.emplace_back(name, initialiser);
  at::Tensor tensor = at::zeros(sizes, at::kFloat);
  if (tensor.dim() == 4) tensor = tensor.contiguous(at::MemoryFormat::ChannelsLast);
  at::Tensor parameter = register_parameter(name, tensor);
  cached_.push_back(std::make_unique<CachedWeight>(parameter));
  return parameter;
}

at::Tensor Layer::castLike(const at::Tensor& x, const at::Tensor& parameter,
                           const at::Tensor& factor) const {
  const auto isOfIt = [&](const auto& weight) { return weight->isOf(parameter); };
  const auto found = std::ranges::find_if(cached_, isOfIt);
  TORCH_CHECK(found != cached_.end(), "no parameter of ", name_);
  return (*found)->as(x.scalar_type(), factor);
}

void Layer::initialise(const std::string& prefix, std::uint64_t seed) {
  auto parameters = named_parameters(/*recurse=*/false);
  for (const auto& [name, initialiser] : initialisers_)
    model::initialise(parameters[name], initialiser, prefix + "." + name, seed);
}

void initialiseParameters(torch::nn::Module& root, std::uint64_t seed) {
  for (const auto& item : root.named_modules("", /*include_self=*/false)) {
    if (auto* layer = dynamic_cast<Layer*>(item.value().get())) layer->initialise(item.key(), seed);
  }
}

void nameLayers(torch::nn::Module& root) {
  for (const auto& item : root.named_modules("", /*include_self=*/false)) {
    if (auto* layer = dynamic_cast<Layer*>(item.value().get())) layer->setName(item.key());
  }
}

std::vector<CachedWeight*> cachedWeights(const torch::nn::Module& root) {
  std::vector<CachedWeight*> weights;
  for (const auto& module : root.modules(/*include_self=*/false)) {
    const auto* layer = dynamic_cast<const Layer*>(module.get());
    if (layer == nullptr) continue;
    for (const auto& weight : layer->cachedWeights()) weights.push_back(weight.get());
  }
  return weights;
}

}  // namespace lockstep::model
