#include "engine/model/initialisation.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <numbers>
#include <string_view>

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

/// Two normal numbers from two uniform ones (Box and Muller); element i of a pair.
double normalAt(std::uint64_t stream, std::uint64_t index) {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniformAt(stream, index & ~1ULL)));
  const double angle = 2.0 * std::numbers::pi * uniformAt(stream, index | 1ULL);
  return radius * (index & 1ULL ? std::sin(angle) : std::cos(angle));
}

double valueAt(const Initialiser& start, std::uint64_t stream, std::uint64_t index) {
  switch (start.kind) {
    case Initialiser::Kind::Normal:
      return start.scale * normalAt(stream, index);
    case Initialiser::Kind::Uniform:
      return start.scale * (2.0 * uniformAt(stream, index) - 1.0);
    case Initialiser::Kind::Constant:
      break;
  }
  return start.scale;
}

void fill(at::Tensor tensor, const Initialiser& start, std::uint64_t stream) {
  const at::NoGradGuard noGrad;
  at::Tensor values = at::empty(tensor.sizes(), at::kFloat);
  float* data = values.data_ptr<float>();
  at::parallel_for(0, values.numel(), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      data[i] = static_cast<float>(valueAt(start, stream, static_cast<std::uint64_t>(i)));
    }
  });
  tensor.copy_(values);
}

}  // namespace

at::Tensor Layer::addParameter(const std::string& name, at::IntArrayRef sizes,
                               const Initialiser& start) {
  starts_.emplace_back(name, start);
  return register_parameter(name, at::zeros(sizes, at::kFloat));
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

}  // namespace lockstep::model
