#include "engine/solver/loss_scaler.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <torch/types.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "engine/base/error.h"

namespace lockstep::solver {
namespace {

constexpr const char* kScaleName = "loss_scale";
constexpr const char* kStepsName = "loss_scale.steps";
constexpr double kFirstScale = 65536, kLeastScale = 1;
constexpr double kGrowth = 2, kBackoff = 0.5;
constexpr std::int64_t kStepsToGrow = 2000;

}  // namespace

LossScaler::LossScaler(const at::Device& device)
    : scale_(at::full({}, kFirstScale, at::TensorOptions(at::kFloat).device(device))),
      steps_(at::zeros({}, at::TensorOptions(at::kInt).device(device))) {}

void LossScaler::unscale(const std::vector<at::Tensor>& parameters) const {
  const at::NoGradGuard noGradient;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters)
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  if (!gradients.empty()) at::_foreach_mul_(gradients, scale_.reciprocal());
}

at::Tensor LossScaler::isAtMinimum() const { return (scale_ <= kLeastScale).to(at::kFloat); }

void LossScaler::update(const at::Tensor& hasOverflowed) {
  const at::NoGradGuard noGradient;
  at::_amp_update_scale_(scale_, steps_, hasOverflowed, kGrowth, kBackoff, kStepsToGrow);
  scale_.clamp_min_(kLeastScale);
}

NamedTensors LossScaler::state() const { return {{kScaleName, scale_}, {kStepsName, steps_}}; }

void LossScaler::loadState(const NamedTensors& saved) {
  if (saved.empty()) return;
  const at::NoGradGuard noGradient;
  const std::map<std::string, at::Tensor> byName(saved.begin(), saved.end());
  for (const auto& [name, tensor] : state()) {
    const auto found = byName.find(name);
    if (found == byName.end() || found->second.sizes() != tensor.sizes())
      throw Error("optimizer state: '" + name + "' is missing or not a scalar");
    tensor.copy_(found->second);
  }
}

NamedTensors takeLossScale(NamedTensors& optimizerState) {
  const auto isOther = [](const auto& entry) { return !entry.first.starts_with(kScaleName); };
  const auto begin = std::stable_partition(optimizerState.begin(), optimizerState.end(), isOther);
  NamedTensors taken(std::make_move_iterator(begin), std::make_move_iterator(optimizerState.end()));
  optimizerState.erase(begin, optimizerState.end());
  return taken;
}

}  // namespace lockstep::solver
