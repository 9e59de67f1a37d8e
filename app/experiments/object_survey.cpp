#include "app/experiments/object_survey.h"

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "engine/config/fields.h"

namespace lockstep::app {
namespace {

std::string keyOf(const config::Experiment& experiment) {
  std::string key = experiment.dataset.train.annotations;
  for (const char* field : {"augment.min_size", "augment.max_size", "model.anchors.sizes",
                            "model.rpn.bg_iou", "model.anchors.aspect_ratios"})
    key += "\n" + config::findField(field)->text(experiment);
  return key;
}

void addImages(const coco::Dataset& dataset, ObjectSurvey& survey) {
  std::set<std::pair<int, int>> sizes;
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    const coco::Image& image = dataset.images()[i];
    if (sizes.emplace(image.width, image.height).second)
      survey.shapes.push_back({{}, {}, image.width, image.height});
    const auto objects = static_cast<std::size_t>(
        std::ranges::count_if(dataset.annotationsOf(i), &coco::Annotation::isUsable));
    if (objects <= survey.mostInImage) continue;
    survey.mostInImage = objects;
    survey.mostCrowded = QString::fromStdString(image.fileName);
  }
}

/// nullopt: none cover more of the objects.
std::optional<config::AnchorConfig> betterAnchors(const std::vector<config::AnnotatedBox>& objects,
                                                  const config::Experiment& experiment,
                                                  const config::AnchorFit& fit) {
  const config::AugmentConfig& augment = experiment.augment;
  auto better = config::suggestedAnchors(objects, augment, experiment.model.anchors);
  const double missed = config::fitAnchors(objects, augment, better).all().share();
  return missed < fit.all().share() ? std::optional(std::move(better)) : std::nullopt;
}

}  // namespace

std::shared_ptr<const ObjectSurvey> surveyObjects(const config::Experiment& experiment,
                                                  std::shared_ptr<const ObjectSurvey> known) {
  const std::string& annotations = experiment.dataset.train.annotations;
  if (annotations.empty()) return nullptr;
  ObjectSurvey survey{.key = keyOf(experiment), .version = base::FileVersion::of(annotations)};
  if (known && known->key == survey.key && known->version == survey.version) return known;
  try {
    const auto dataset = coco::Dataset::loadBoxes(annotations);
    const auto objects = config::trainingObjects(dataset);
    addImages(dataset, survey);
    const config::AnchorFit fit =
        config::fitAnchors(objects, experiment.augment, experiment.model.anchors);
    survey.objects = objects.size();
    survey.boxSizes = config::boxSizes(objects, experiment.augment);
    survey.uncovered = fit.all().share();
    if (!fit.isGood()) survey.betterAnchors = betterAnchors(objects, experiment, fit);
    survey.distant = fit.shareBelow(experiment.model.rpn.bgIou);
  } catch (const std::exception&) {
    return nullptr;  // the check of the experiment says what is wrong with its data
  }
  return std::make_shared<const ObjectSurvey>(std::move(survey));
}

}  // namespace lockstep::app
