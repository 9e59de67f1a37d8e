#include "engine/model/initialisation.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <numbers>
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

/// The uniform number in [0, 1) of an element: counterUniform with the index as its last key.
double uniformAt(std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(base::mixBits(stream ^ index) >> 11) * 0x1.0p-53;
}

/// Elements 2i and 2i + 1 of a normal stream, from two uniform numbers (Box-Muller).
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

}  // namespace

void initialise(at::Tensor& tensor, const Initialiser& initialiser, std::string_view name,
                std::uint64_t seed) {
  const auto purpose = static_cast<std::uint64_t>(base::RandomPurpose::Initialisation);
  const std::uint64_t stream = base::counterHash({seed, purpose, hashOfName(name)});
  const at::NoGradGuard noGrad;
  at::Tensor values = at::full(tensor.sizes(), initialiser.scale, at::kFloat);
  float* data = values.data_ptr<float>();
  if (initialiser.kind == Initialiser::Kind::Normal) {
    fillNormal(data, values.numel(), initialiser.scale, stream);
  } else if (initialiser.kind == Initialiser::Kind::Uniform) {
    fillUniform(data, values.numel(), initialiser.scale, stream);
  }
  tensor.copy_(values);
}

}  // namespace lockstep::model
