#include "engine/model/initialisation.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "engine/base/counter_hash.h"

namespace lockstep::model {
namespace {

/// FNV-1a.
std::uint64_t hashOfName(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  }
  return hash;
}

/// The uniform number in [0, 1) of an element; counterUniform with the last key still to come.
double uniformAt(std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(base::mixBits(stream ^ index) >> 11) * 0x1.0p-53;
}

/// Elements 2i and 2i + 1 of a normal stream, out of two uniform numbers (Box and Muller).
std::pair<double, double> normalPairAt(std::uint64_t stream, std::uint64_t pair) {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniformAt(stream, 2 * pair)));
  const double angle = 2.0 * std::numbers::pi * uniformAt(stream, 2 * pair + 1);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

void fillNormal(float* data, std::int64_t count, double deviation, std::uint64_t stream) {
  at::parallel_for(0, (count + 1) / 2, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto [first, second] = normalPairAt(stream, static_cast<std::uint64_t>(i));
      data[2 * i] = static_cast<float>(deviation * first);
      if (2 * i + 1 < count) data[2 * i + 1] = static_cast<float>(deviation * second);
    }
  });
}

void fillUniform(float* data, std::int64_t count, double bound, std::uint64_t stream) {
  at::parallel_for(0, count, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const double share = uniformAt(stream, static_cast<std::uint64_t>(i));
      data[i] = static_cast<float>(bound * (2.0 * share - 1.0));
    }
  });
}

void fill(at::Tensor tensor, const Initialiser& start, std::uint64_t stream) {
  const at::NoGradGuard noGrad;
  at::Tensor values = at::full(tensor.sizes(), start.scale, at::kFloat);
  float* data = values.data_ptr<float>();
  if (start.kind == Initialiser::Kind::Normal) {
    fillNormal(data, values.numel(), start.scale, stream);
  } else if (start.kind == Initialiser::Kind::Uniform) {
    fillUniform(data, values.numel(), start.scale, stream);
  }
  tensor.copy_(values);
}

}  // namespace

at::Tensor Layer::addParameter(const std::string& name, at::IntArrayRef sizes,
                               const Initialiser& start) {
  starts_.emplace_back(name, start);
  at::Tensor tensor = at::zeros(sizes, at::kFloat);
  if (tensor.dim() == 4) tensor = tensor.contiguous(at::MemoryFormat::ChannelsLast);
  at::Tensor parameter = register_parameter(name, tensor);
  computed_.push_back(std::make_unique<ComputedWeight>(parameter));
  return parameter;
}

at::Tensor Layer::inTypeOf(const at::Tensor& x, const at::Tensor& parameter,
                           const at::Tensor& factor) const {
  const auto isOfIt = [&](const auto& weight) { return weight->isOf(parameter); };
  const auto found = std::ranges::find_if(computed_, isOfIt);
  TORCH_CHECK(found != computed_.end(), "no parameter of ", name_);
  return (*found)->in(x.scalar_type(), factor);
}

void Layer::initialise(const std::string& prefix, std::uint64_t seed) {
  const auto purpose = static_cast<std::uint64_t>(base::RandomPurpose::Initialisation);
  const auto parameters = named_parameters(/*recurse=*/false);
  for (const auto& [name, start] : starts_) {
    fill(parameters[name], start,
         base::counterHash({seed, purpose, hashOfName(prefix + "." + name)}));
  }
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

std::vector<ComputedWeight*> computedWeights(const torch::nn::Module& root) {
  std::vector<ComputedWeight*> weights;
  for (const auto& module : root.modules(/*include_self=*/false)) {
    const auto* layer = dynamic_cast<const Layer*>(module.get());
    if (layer == nullptr) continue;
    for (const auto& weight : layer->computedWeights()) weights.push_back(weight.get());
  }
  return weights;
}

}  // namespace lockstep::model
