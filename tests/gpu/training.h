#pragma once

#include <memory>
#include <vector>

#include "engine/model/mask_rcnn.h"
#include "engine/solver/weight_update.h"
#include "tests/gpu/scene.h"

namespace lockstep::gpu {

/// A model with its update on a device, in tensors of fixed size. Halves are what it computes in;
/// float64 is all of it.
class Training {
 public:
  explicit Training(const at::Device& device, at::ScalarType type = at::kFloat,
                    const config::ModelConfig& config = smallModel());

  model::MaskRcnn& model() { return *model_; }
  const std::vector<at::Tensor>& parameters() const { return update_->tensors(); }

  model::Losses losses(const Scene& scene) {
    return model_->losses(scene.images, scene.sizes, scene.gts, scene.keys);
  }
  /// Losses, whose gradients are the parameters' then.
  model::Losses gradients(const Scene& scene);
  /// Everything of a step but the loading. Returns its losses [5].
  at::Tensor step(const Scene& scene);

 private:
  std::shared_ptr<model::MaskRcnn> model_;
  std::unique_ptr<solver::WeightUpdate> update_;
};

}  // namespace lockstep::gpu
