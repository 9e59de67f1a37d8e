#include "engine/solver/weight_update.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>
#include <torch/types.h>

#include <utility>

#include "engine/ops/tensor_sums.h"
#include "engine/solver/gradient_clip.h"

namespace lockstep::solver {
namespace {

at::Device deviceOf(const std::vector<Parameter>& parameters) {
  return parameters.empty() ? at::Device(at::kCPU) : parameters[0].tensor.device();
}

}  // namespace

WeightUpdate::WeightUpdate(const config::SolverConfig& config, std::vector<Parameter> parameters,
                           bool scalesLoss)
    : optimizer_(makeOptimizer(config, std::move(parameters))), clipNorm_(config.clipGradNorm) {
  for (const Parameter& parameter : optimizer_->parameters()) tensors_.push_back(parameter.tensor);
  watched_ = tensors_;
  const at::Device device = deviceOf(optimizer_->parameters());
  if (scalesLoss) scaler_.emplace(device);
  hasDiverged_ = at::zeros({}, at::TensorOptions(at::kFloat).device(device));
}

WeightUpdate::Figures WeightUpdate::apply(double learningRate, const at::Tensor& lossesNotFinite,
                                          bool withWeightSums) {
  const at::NoGradGuard noGradient;
  if (scaler_) scaler_->unscale(tensors_);
  const GradientSums gradients = clipGradientNorm(tensors_, clipNorm_);
  const at::Tensor hasOverflowed =
      at::isfinite(gradients.norm.to(at::kFloat)).logical_not().to(at::kFloat);
  const at::Tensor gradientDiverged =
      scaler_ ? hasOverflowed * scaler_->isAtMinimum() : hasOverflowed;
  hasDiverged_ = at::maximum(hasDiverged_, at::maximum(lossesNotFinite, gradientDiverged));
  if (withWeightSums) keepWatchedWeights();
  optimizer_->step(learningRate, scaler_ ? at::maximum(hasDiverged_, hasOverflowed) : hasDiverged_);
  Figures figures{gradients.norm, hasDiverged_, {}, gradients.sums};
  if (withWeightSums && !watched_.empty())
    figures.weightSums = ops::tensorSums(watched_, previous_);
  if (!scaler_) return figures;
  figures.lossScale = scaler_->scale().clone();
  scaler_->update(hasOverflowed);
  return figures;
}

void WeightUpdate::watchWeights(const std::vector<std::size_t>& indices) {
  watched_.clear();
  previous_.clear();
  for (const std::size_t index : indices) watched_.push_back(tensors_[index]);
}

void WeightUpdate::keepWatchedWeights() {
  if (previous_.empty()) {
    for (const at::Tensor& tensor : watched_) previous_.push_back(at::empty_like(tensor));
  }
  if (!previous_.empty()) at::_foreach_copy_(previous_, watched_);
}

NamedTensors WeightUpdate::state() const {
  NamedTensors state = optimizer_->state();
  if (!scaler_) return state;
  for (auto& entry : scaler_->state()) state.push_back(std::move(entry));
  return state;
}

bool WeightUpdate::resume(NamedTensors saved) {
  const NamedTensors scale = takeLossScale(saved);
  if (scaler_) scaler_->loadState(scale);
  if (!optimizer_->fits(saved)) return false;
  optimizer_->loadState(saved);
  return true;
}

}  // namespace lockstep::solver
