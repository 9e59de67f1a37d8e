#pragma once

#include <map>
#include <string>

#include "engine/config/experiment.h"
#include "engine/model/mask_rcnn.h"

namespace lockstep::tests {

/// A Mask R-CNN that a test steps in a fraction of a second. Nothing of it is frozen but the norms
/// with frozen_batch.
inline config::ModelConfig smallModel(config::Norm norm = config::Norm::Group) {
  config::ModelConfig config;
  config.backbone = "resnet18";
  config.norm = norm;
  config.freezeStages = 0;
  config.fpnChannels = 16;
  config.rpn = {200, 100, 100, 50, 0.7, 0.7, 0.3, 32, 0.5};
  config.boxHead.fcDim = 32;
  config.boxHead.batchSizePerImage = 16;
  config.boxHead.scoreThreshold = 0.01;
  config.maskHead.convs = 1;
  config.maskHead.channels = 16;
  return config;
}

/// Parameters and buffers by name.
inline std::map<std::string, at::Tensor> stateOf(const model::MaskRcnn& model) {
  std::map<std::string, at::Tensor> state;
  for (const auto& [name, tensor] : model.namedState()) state.emplace(name, tensor);
  return state;
}

}  // namespace lockstep::tests
