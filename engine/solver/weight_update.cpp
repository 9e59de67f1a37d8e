#include "engine/solver/weight_update.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>
#include <torch/types.h>

#include <utility>

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
  const at::Device device = deviceOf(optimizer_->parameters());
  if (scalesLoss) scaler_.emplace(device);
  hasDiverged_ = at::zeros({}, at::TensorOptions(at::kFloat).device(device));
}

WeightUpdate::Figures WeightUpdate::apply(double learningRate, const at::Tensor& lossesNotFinite) {
  const at::NoGradGuard noGradient;
  if (scaler_) scaler_->unscale(tensors_);
  const at::Tensor norm = clipGradientNorm(tensors_, clipNorm_);
  const at::Tensor hasOverflowed = at::isfinite(norm.to(at::kFloat)).logical_not().to(at::kFloat);
  const at::Tensor gradientDiverged = scaler_ ? hasOverflowed * scaler_->isAtMinimum() : hasOverflowed;
  hasDiverged_ = at::maximum(hasDiverged_, at::maximum(lossesNotFinite, gradientDiverged));
  optimizer_->step(learningRate, scaler_ ? at::maximum(hasDiverged_, hasOverflowed) : hasDiverged_);
  if (!scaler_) return {norm, hasDiverged_, {}};
  const at::Tensor scale = scaler_->scale().clone();
  scaler_->update(hasOverflowed);
  return {norm, hasDiverged_, scale};
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
