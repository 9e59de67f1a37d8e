#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/data/batch.h"
#include "engine/model/mask_rcnn.h"
#include "engine/solver/weight_update.h"

namespace lockstep::tests {

/// R50-FPN with frozen norms, stem and first stage, as it is with pretrained weights.
config::ModelConfig modelAsPretrained();

struct TrainingSetup {
  config::ModelConfig model;
  std::int64_t classes = 2;  ///< with background
  config::SolverConfig solver{};
  at::ScalarType type =
      at::kFloat;  ///< half types: compute dtype of the model; float64: everything
  std::optional<model::RowShapes> rowShapes{};  ///< if other than the device's own
};

/// The trainer's step on a device, without the trainer, for checks and benchmarks.
class Training {
 public:
  Training(const at::Device& device, const TrainingSetup& setup);

  model::MaskRcnn& model() { return *model_; }
  const std::vector<at::Tensor>& parameters() const { return update_->tensors(); }

  model::Losses losses(const data::Batch& batch) {
    return model_->losses(batch.images, batch.sizes, batch.gts, batch.samplingKeys);
  }
  void zeroGradients() { update_->zeroGradients(); }
  /// Computes the losses and the parameters' gradients.
  model::Losses gradients(const data::Batch& batch);
  /// A complete step except data loading; withWeightSums: tensor statistics are due. Returns its
  /// unweighted losses [5].
  at::Tensor step(const data::Batch& batch, double learningRate = 0.01,
                  bool withWeightSums = false);

 private:
  std::shared_ptr<model::MaskRcnn> model_;
  config::LossWeights lossWeights_;
  std::unique_ptr<solver::WeightUpdate> update_;
};

/// What a Python script saved of a batch: images [N,3,H,W], sizes [N,2] (height, width), and of
/// each image i boxes_i [G,4], classes_i [G] and masks_i [G,H,W].
data::Batch batchOf(const std::map<std::string, at::Tensor>& tensors);

}  // namespace lockstep::tests
