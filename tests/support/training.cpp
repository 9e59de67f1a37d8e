#include "tests/support/training.h"

#include <ATen/ATen.h>

#include "engine/structures/ground_truth.h"
#include "tests/support/masks.h"

namespace lockstep::tests {

config::ModelConfig modelAsPretrained() {
  config::ModelConfig config;
  config.norm = config::Norm::FrozenBatch;
  config.freezeStages = 2;
  return config;
}

Training::Training(const at::Device& device, const TrainingSetup& setup)
    : model_(std::make_shared<model::MaskRcnn>(setup.model, setup.classes, 1)),
      lossWeights_(setup.solver.lossWeights) {
  model_->to(device, setup.type == at::kDouble ? at::kDouble : at::kFloat);
  if (setup.type != at::kDouble) model_->setComputeType(setup.type);
  if (setup.rowShapes) model_->setRowShapes(*setup.rowShapes);
  model_->train();
  std::vector<solver::Parameter> parameters;
  for (const model::ParameterInfo& info : model_->trainableParameters()) {
    parameters.push_back({info.name, info.tensor, info.inBackbone,
                          info.role == model::ParameterInfo::Role::Norm,
                          info.role == model::ParameterInfo::Role::Bias});
  }
  update_ = std::make_unique<solver::WeightUpdate>(setup.solver, std::move(parameters),
                                                   setup.type == at::kHalf);
}

model::Losses Training::gradients(const data::Batch& batch) {
  zeroGradients();
  const model::Losses result = losses(batch);
  update_->scaled(result.total(lossWeights_)).backward();
  return result;
}

at::Tensor Training::step(const data::Batch& batch, double learningRate, bool withWeightSums) {
  std::vector<at::Tensor> values;
  for (const auto& [name, loss] : gradients(batch).named()) values.push_back(loss.detach());
  const at::Tensor all = at::stack(values);
  update_->apply(learningRate, at::isfinite(all).all().logical_not().to(at::kFloat),
                 withWeightSums);
  return all;
}

data::Batch batchOf(const std::map<std::string, at::Tensor>& tensors) {
  data::Batch batch;
  batch.images = tensors.at("images");
  const at::Tensor& sizes = tensors.at("sizes");
  std::vector<structures::GtInstances> gts;
  for (std::int64_t i = 0; i < sizes.size(0); ++i) {
    const std::string number = std::to_string(i);
    batch.sizes.push_back({sizes[i][0].item<std::int64_t>(), sizes[i][1].item<std::int64_t>()});
    gts.push_back({tensors.at("boxes_" + number), tensors.at("classes_" + number),
                   cropped(tensors.at("masks_" + number))});
    batch.samplingKeys.push_back(static_cast<std::uint64_t>(i));
  }
  batch.gts = structures::batchGroundTruth(gts);
  return batch;
}

}  // namespace lockstep::tests
