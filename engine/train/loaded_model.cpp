#include "engine/train/loaded_model.h"

#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/checkpoint/load_weights.h"
#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/config/resumed_keys.h"
#include "engine/config/value_text.h"
#include "engine/train/precision.h"

namespace lockstep::train {
namespace {

std::vector<std::int64_t> idsOf(const coco::Dataset& dataset) {
  std::vector<std::int64_t> ids;
  for (const coco::Category& category : dataset.categories()) ids.push_back(category.id.value);
  return ids;
}

/// Classes of the box head in the file, background included.
std::int64_t classCountIn(const checkpoint::SafetensorsFile& file, const std::string& name) {
  const at::Tensor* scores = file.find("roi_heads.box_predictor.cls_score.weight");
  if (!scores || scores->dim() != 2) {
    throw UserError(name +
                    ": has no roi_heads.box_predictor.cls_score.weight: not the weights of a "
                    "complete Mask R-CNN");
  }
  return scores->size(0);
}

/// Settings that the shapes of the tensors do not show.
void checkSameModel(const config::ModelConfig& model, const checkpoint::ModelFacts& facts,
                    const std::string& name) {
  const auto check = [&](const std::string& key, const std::string& inFile,
                         const std::string& inExperiment) {
    if (inFile == inExperiment) return;
    throw UserError("weights do not match the model: " + name + " needs " + key + ": " + inFile +
                    ", the experiment has " + inExperiment);
  };
  check("model.backbone", facts.backbone, model.backbone);
  check("model.norm_epsilon", config::writeNumber(facts.normEpsilon),
        config::writeNumber(model.normEpsilon));
}

/// categories[k-1] is that of class k.
std::vector<std::int64_t> categoryIds(const std::optional<checkpoint::ModelFacts>& facts,
                                      const coco::Dataset* dataset, std::int64_t classes,
                                      const std::string& name) {
  std::vector<std::int64_t> ids;
  if (facts && !facts->categoryIds.empty()) {
    ids = facts->categoryIds;
  } else if (dataset) {
    ids = idsOf(*dataset);
    if (static_cast<std::int64_t>(ids.size()) + 1 != classes) {
      throw UserError("weights do not match the model: " + name + " has " +
                      base::counted(static_cast<std::uint64_t>(classes), "class") +
                      ", the dataset has " + std::to_string(ids.size() + 1) +
                      " (including background)");
    }
  } else {
    for (std::int64_t id = 1; id < classes; ++id) ids.push_back(id);
  }
  if (static_cast<std::int64_t>(ids.size()) + 1 != classes) {
    throw Error(name + ": its metadata names " + std::to_string(ids.size()) +
                " categories, its head has " + std::to_string(classes - 1));
  }
  return ids;
}

void checkCategories(const std::vector<std::int64_t>& ids, const coco::Dataset& dataset,
                     const std::string& name) {
  for (const coco::Category& category : dataset.categories()) {
    if (std::ranges::find(ids, category.id.value) != ids.end()) continue;
    throw UserError("weights of another dataset: " + name + " has no category " +
                    std::to_string(category.id.value) + " (" + category.name +
                    ") of the annotations");
  }
}

/// What of an experiment made its weights: no path, and nothing that a resumed run may change, so
/// that it writes the same bits. The length stays, as the learning rate follows it, and the
/// precision: detections depend on it.
config::Experiment withoutCircumstances(config::Experiment experiment) {
  constexpr std::array<std::string_view, 2> kKept{"solver.max_steps", "runtime.precision"};
  for (const config::Field& field : config::fields())
    if (config::mayChangeOnResume(field.key) && std::ranges::find(kKept, field.key) == kKept.end())
      field.assign(experiment, field.defaultText());
  experiment.base.clear();
  experiment.dataset.train = {};
  experiment.dataset.val = {};
  experiment.model.weights = std::filesystem::path(experiment.model.weights).filename().string();
  return experiment;
}

}  // namespace

LoadedModel loadModel(const config::Experiment& experiment, const std::filesystem::path& weights,
                      const coco::Dataset* dataset, at::Device device) {
  const std::string name = weights.string();
  const checkpoint::SafetensorsFile file = checkpoint::readSafetensors(weights);
  const std::int64_t classes = classCountIn(file, name);
  const std::optional<checkpoint::ModelFacts> facts = checkpoint::modelFacts(file);
  if (facts) checkSameModel(experiment.model, *facts, name);
  const std::vector<std::int64_t> ids = categoryIds(facts, dataset, classes, name);
  if (dataset) checkCategories(ids, *dataset, name);

  const std::vector<double>& classWeights = experiment.solver.classWeights.values;
  if (!classWeights.empty() && static_cast<std::int64_t>(classWeights.size()) + 1 != classes) {
    throw UserError("solver.class_weights has " + std::to_string(classWeights.size()) +
                    " numbers, but " + name + " has " + std::to_string(classes - 1) + " classes");
  }
  LoadedModel loaded;
  for (const std::int64_t id : ids) loaded.categories.push_back({id});
  if (facts) loaded.categoryNames = facts->categoryNames;
  loaded.model =
      std::make_shared<model::MaskRcnn>(experiment.model, classes, experiment.runtime.seed);
  checkpoint::loadWeights(loaded.model->namedState(), file, checkpoint::WeightsUse::Inference,
                          name);
  loaded.model->to(device);
  loaded.model->setClassWeights(classWeights);
  loaded.model->setComputeType(computeType(experiment.runtime, device));
  loaded.model->eval();
  return loaded;
}

checkpoint::ModelFacts modelFacts(const config::Experiment& experiment,
                                  const coco::Dataset& dataset) {
  const config::ModelConfig& model = experiment.model;
  checkpoint::ModelFacts facts;
  for (const coco::Category& category : dataset.categories()) {
    facts.categoryIds.push_back(category.id.value);
    facts.categoryNames.push_back(category.name);
  }
  facts.backbone = model.backbone;
  facts.norm = base::textOf(model.resolvedNorm());
  facts.normEpsilon = model.normEpsilon;
  facts.experiment = config::writeExperiment(withoutCircumstances(experiment));
  return facts;
}

}  // namespace lockstep::train
