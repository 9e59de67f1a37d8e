#include "engine/solver/weight_average.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_lerp.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "engine/base/error.h"

namespace lockstep::solver {
namespace {

constexpr const char* kPrefix = "weight.";

}  // namespace

WeightAverage::WeightAverage(double decay, std::vector<Parameter> parameters)
    : decay_(decay), parameters_(std::move(parameters)) {
  for (const Parameter& parameter : parameters_)
    averages_.push_back(parameter.tensor.detach().clone());
}

void WeightAverage::update() {
  const at::NoGradGuard noGradient;
  if (!isStarted_) {
    for (std::size_t i = 0; i < averages_.size(); ++i) averages_[i].copy_(parameters_[i].tensor);
    isStarted_ = true;
    return;
  }
  std::vector<at::Tensor> weights;
  for (const Parameter& parameter : parameters_) weights.push_back(parameter.tensor.detach());
  at::_foreach_lerp_(averages_, weights, 1 - decay_);
}

void WeightAverage::exchange() {
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    const at::Tensor weight = parameters_[i].tensor.detach();
    parameters_[i].tensor.set_data(averages_[i]);
    averages_[i] = weight;
  }
}

NamedTensors WeightAverage::trainedWeights() const {
  NamedTensors weights;
  for (const Parameter& parameter : parameters_)
    weights.emplace_back(kPrefix + parameter.name, parameter.tensor.detach());
  return weights;
}

void WeightAverage::resume(const NamedTensors& saved) {
  const at::NoGradGuard noGradient;
  for (std::size_t i = 0; i < averages_.size(); ++i) averages_[i].copy_(parameters_[i].tensor);
  isStarted_ = true;
  restoreTrainedWeights(saved, parameters_);
}

void restoreTrainedWeights(const NamedTensors& saved, const std::vector<Parameter>& parameters) {
  if (saved.empty()) return;
  const at::NoGradGuard noGradient;
  const std::map<std::string, at::Tensor> byName(saved.begin(), saved.end());
  for (const Parameter& parameter : parameters) {
    const auto found = byName.find(kPrefix + parameter.name);
    if (found == byName.end() || found->second.sizes() != parameter.tensor.sizes()) {
      throw Error("optimizer state: '" + (kPrefix + parameter.name) +
                  "' is missing or does not have the shape of its parameter");
    }
    parameter.tensor.copy_(found->second);
  }
}

NamedTensors takeTrainedWeights(NamedTensors& optimizerState) {
  const auto isOther = [](const auto& entry) { return !entry.first.starts_with(kPrefix); };
  const auto begin = std::stable_partition(optimizerState.begin(), optimizerState.end(), isOther);
  NamedTensors weights(std::make_move_iterator(begin),
                       std::make_move_iterator(optimizerState.end()));
  optimizerState.erase(begin, optimizerState.end());
  return weights;
}

}  // namespace lockstep::solver
