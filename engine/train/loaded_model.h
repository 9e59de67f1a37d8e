#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/coco/files/dataset.h"
#include "engine/config/experiment.h"
#include "engine/model/mask_rcnn.h"

namespace lockstep::train {

/// A model with the weights of a file, for evaluation and prediction.
struct LoadedModel {
  std::shared_ptr<model::MaskRcnn> model;  ///< in eval mode, on the device
  std::vector<CategoryId> categories;      ///< categories[k-1] is that of class k
  std::vector<std::string> categoryNames;  ///< empty: not in the metadata
};

/// Classes come from the file's metadata, else from the dataset (may be null). The dataset may
/// have fewer categories than the model. Throws UserError for weights that do not match the
/// configuration or the dataset.
LoadedModel loadModel(const config::Experiment& experiment, const std::filesystem::path& weights,
                      const coco::Dataset* dataset, at::Device device);

/// Metadata for model.safetensors.
checkpoint::ModelFacts modelFacts(const config::Experiment& experiment,
                                  const coco::Dataset& dataset);

}  // namespace lockstep::train
