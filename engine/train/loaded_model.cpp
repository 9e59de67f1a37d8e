#include "engine/train/loaded_model.h"

#include <torch/cuda.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/checkpoint/load_weights.h"

namespace lockstep::train {
namespace {

std::vector<std::int64_t> idsOf(const coco::Dataset& dataset) {
  std::vector<std::int64_t> ids;
  for (const coco::Category& category : dataset.categories()) ids.push_back(category.id.value);
  return ids;
}

/// Classes with background as the head of the file has them.
std::int64_t classCountOf(const checkpoint::SafetensorsFile& file, const std::string& name) {
  const at::Tensor* scores = file.find("roi_heads.box_predictor.cls_score.weight");
  if (!scores || scores->dim() != 2) {
    throw base::mendable(
        name +
        ": has no roi_heads.box_predictor.cls_score.weight: not the weights of a whole Mask R-CNN");
  }
  return scores->size(0);
}

}  // namespace

at::Device chooseDevice(const std::string& device) {
#ifdef LOCKSTEP_CUDA
  const bool hasGpu = torch::cuda::is_available();
#else
  const bool hasGpu = false;
#endif
  if (device == "cuda" && !hasGpu) {
    throw base::mendable(
#ifdef LOCKSTEP_CUDA
        "runtime.device: cuda is asked for, but no usable GPU was found: use runtime.device=cpu, "
        "or check nvidia-smi"
#else
        "runtime.device: cuda is asked for, but this build has no CUDA kernels: use "
        "runtime.device=cpu, or build with "
        "the preset engine-cuda"
#endif
    );
  }
  return device != "cpu" && hasGpu ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
}

LoadedModel loadModel(const config::Experiment& experiment, const std::filesystem::path& weights,
                      const coco::Dataset* dataset, at::Device device) {
  const std::string name = weights.string();
  const checkpoint::SafetensorsFile file = checkpoint::readSafetensors(weights);
  const std::int64_t classes = classCountOf(file, name);
  const std::optional<checkpoint::ModelFacts> facts = checkpoint::modelFacts(file);

  LoadedModel loaded;
  std::vector<std::int64_t> ids;
  if (facts && !facts->categoryIds.empty()) {
    ids = facts->categoryIds;
    loaded.categoryNames = facts->categoryNames;
  } else if (dataset) {
    ids = idsOf(*dataset);
  } else {
    for (std::int64_t id = 1; id < classes; ++id) ids.push_back(id);
  }
  if (dataset && static_cast<std::int64_t>(dataset->categories().size()) + 1 != classes) {
    throw base::mendable("weights of another model: " + name + " has " + std::to_string(classes) +
                         " classes with background, the data set has " +
                         std::to_string(dataset->categories().size() + 1));
  }
  if (dataset && ids != idsOf(*dataset)) {
    throw base::mendable("weights of another data set: the category ids in " + name +
                         " are not those of the annotations");
  }
  if (static_cast<std::int64_t>(ids.size()) + 1 != classes) {
    throw Error(name + ": its metadata names " + std::to_string(ids.size()) +
                " categories, its head has " + std::to_string(classes - 1));
  }
  for (const std::int64_t id : ids) loaded.categories.push_back({id});

  loaded.model =
      std::make_shared<model::MaskRcnn>(experiment.model, classes, experiment.runtime.seed);
  checkpoint::loadWeights(loaded.model->namedState(), file, checkpoint::WeightsUse::Exactly, name);
  loaded.model->to(device);
  loaded.model->eval();
  return loaded;
}

checkpoint::ModelFacts modelFacts(const config::ModelConfig& model, const coco::Dataset& dataset) {
  checkpoint::ModelFacts facts;
  for (const coco::Category& category : dataset.categories()) {
    facts.categoryIds.push_back(category.id.value);
    facts.categoryNames.push_back(category.name);
  }
  facts.backbone = model.backbone;
  facts.norm = model.resolvedNorm();
  facts.normEpsilon = model.normEpsilon;
  return facts;
}

}  // namespace lockstep::train
