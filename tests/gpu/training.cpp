#include "tests/gpu/training.h"

#include <torch/types.h>

namespace lockstep::gpu {
namespace {

constexpr std::int64_t kClasses = 6;

}  // namespace

Training::Training(const at::Device& device, at::ScalarType type, const config::ModelConfig& config)
    : model_(std::make_shared<model::MaskRcnn>(config, kClasses, 1)) {
  model_->to(device, type == at::kDouble ? at::kDouble : at::kFloat);
  if (type != at::kDouble) model_->setComputeType(type);
  model_->setRowShapes(model::RowShapes::Fixed);
  model_->train();
  std::vector<solver::Parameter> parameters;
  for (const model::ParameterInfo& info : model_->trainableParameters()) {
    parameters.push_back({info.name, info.tensor, info.inBackbone,
                          info.role == model::ParameterInfo::Role::Norm,
                          info.role == model::ParameterInfo::Role::Bias});
  }
  config::SolverConfig solver;
  solver.clipGradNorm = 10;
  update_ =
      std::make_unique<solver::WeightUpdate>(solver, std::move(parameters), type == at::kHalf);
}

model::Losses Training::gradients(const Scene& scene) {
  update_->zeroGradients();
  const model::Losses result = losses(scene);
  update_->scaled(result.total({})).backward();
  return result;
}

at::Tensor Training::step(const Scene& scene) {
  std::vector<at::Tensor> values;
  for (const auto& [name, loss] : gradients(scene).named()) values.push_back(loss.detach());
  const at::Tensor all = at::stack(values);
  update_->apply(0.01, at::isfinite(all).all().logical_not().to(at::kFloat));
  return all;
}

}  // namespace lockstep::gpu
