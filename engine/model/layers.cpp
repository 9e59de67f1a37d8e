#include "engine/model/layers.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "engine/ops/conv2d.h"
#include "engine/ops/linear.h"

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

Conv2dInit Conv2dInit::kaimingNormal(const Conv2dOptions& options) {
  const auto fan = static_cast<double>(options.out * options.kernel * options.kernel);
  return {Initialiser::normal(std::sqrt(2.0 / fan))};
}

Conv2dInit Conv2dInit::kaimingUniform(const Conv2dOptions& options) {
  const auto fan = static_cast<double>(options.in * options.kernel * options.kernel);
  return {Initialiser::uniform(std::sqrt(3.0 / fan))};
}

Conv2d::Conv2d(const Conv2dOptions& options, const Conv2dInit& init)
    : stride_(options.stride), padding_(options.kernel / 2) {
  weight_ = addParameter("weight", {options.out, options.in, options.kernel, options.kernel},
                         init.weight);
  if (options.hasBias) bias_ = addParameter("bias", {options.out}, init.bias);
}

at::Tensor Conv2d::forward(const at::Tensor& x, bool hasRelu) const {
  // The reported output is before the ReLU.
  const bool isWatched = ActivationWatch::current() != nullptr;
  ops::Epilogue epilogue;
  epilogue.hasRelu = hasRelu && !isWatched;
  if (bias_.defined()) epilogue.bias = bias_;
  at::Tensor out = forwardWith(x, weightFor(x), epilogue);
  report(out);
  return hasRelu && isWatched ? out.relu_() : out;
}

at::Tensor Conv2d::forwardWith(const at::Tensor& x, const at::Tensor& weight,
                               const ops::Epilogue& epilogue) const {
  return ops::conv2d(x, weight, stride_, padding_, epilogue);
}

ConvTranspose2d::ConvTranspose2d(std::int64_t in, std::int64_t out) {
  // PyTorch computes fan_in of a transposed weight [in,out,2,2] as if it were [out,in,2,2].
  weight_ = addParameter("weight", {in, out, 2, 2},
                         Initialiser::normal(std::sqrt(2.0 / static_cast<double>(in * 4))));
  bias_ = addParameter("bias", {out},
                       Initialiser::uniform(1.0 / std::sqrt(static_cast<double>(out * 4))));
}

at::Tensor ConvTranspose2d::forward(const at::Tensor& x) const {
  const std::int64_t in = weight_.size(0), out = weight_.size(1), pixels = x.size(2) * x.size(3);
  // Views: maps and weights are channels_last.
  const at::Tensor rows = x.permute({0, 2, 3, 1}).reshape({x.size(0) * pixels, in});
  const at::Tensor weights = castLike(x, weight_).permute({0, 2, 3, 1}).reshape({in, 4 * out});
  at::Tensor hidden = ops::linear(rows, weights.t(), castLike(x, bias_).repeat({4})).relu_();
  if (ActivationWatch::current() != nullptr) {
    report(hidden.view({x.size(0), x.size(2), x.size(3), 2, 2, out})
               .permute({0, 5, 1, 3, 2, 4})
               .reshape({x.size(0), out, 2 * x.size(2), 2 * x.size(3)}));
  }
  return hidden.view({x.size(0), pixels * 4, out});
}

Linear::Linear(std::int64_t in, std::int64_t out) {
  const auto bound = Initialiser::uniform(1.0 / std::sqrt(static_cast<double>(in)));
  weight_ = addParameter("weight", {out, in}, bound);
  bias_ = addParameter("bias", {out}, bound);
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  at::Tensor out = ops::linear(x, castLike(x, weight_), castLike(x, bias_));
  report(out);
  return out;
}

FlattenLinear::FlattenLinear(std::int64_t in, std::int64_t side, std::int64_t out) {
  const auto bound = Initialiser::uniform(1.0 / std::sqrt(static_cast<double>(in * side * side)));
  weight_ = addParameter("weight", {out, in, side, side}, bound);
  bias_ = addParameter("bias", {out}, bound);
}

at::Tensor FlattenLinear::forward(const at::Tensor& x) const {
  // Views: maps and weights are channels_last.
  const auto inMemoryOrder = [](const at::Tensor& map) {
    return map.permute({0, 2, 3, 1}).flatten(1);
  };
  at::Tensor out =
      ops::linear(inMemoryOrder(x), inMemoryOrder(castLike(x, weight_)), castLike(x, bias_));
  report(out);
  return out;
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
