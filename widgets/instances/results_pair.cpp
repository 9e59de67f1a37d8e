#include "widgets/instances/results_pair.h"

#include <QCoreApplication>
#include <algorithm>
#include <functional>

#include "engine/coco/evaluation/image_matches.h"

namespace lockstep::widgets {
namespace {

struct ResultsPairText {
  Q_DECLARE_TR_FUNCTIONS(ResultsPair)
};

/// Of the dataset's classes.
std::vector<coco::Detection> detectionsOf(const PredictionStore::ByImage& predictions,
                                          const std::vector<ImageId>& images,
                                          const coco::Dataset& dataset) {
  std::vector<coco::Detection> all;
  for (const ImageId image : images) {
    const DetectionCache::Detections detections = predictions.at(image).read();
    for (const coco::Detection& one : *detections)
      if (dataset.hasCategory(one.categoryId)) all.push_back(one);
  }
  return all;
}

bool isSameImage(const coco::Image& one, const coco::Image& other) {
  return one.id == other.id && one.fileName == other.fileName && one.width == other.width &&
         one.height == other.height;
}

bool isSameClass(const coco::Category& one, const coco::Category& other) {
  return one.id == other.id && one.name == other.name;
}

bool isSameObject(const coco::Annotation& one, const coco::Annotation& other) {
  return one.id == other.id && one.categoryId == other.categoryId && one.boxXywh == other.boxXywh &&
         one.isCrowd == other.isCrowd;
}

bool haveSameObjects(const std::vector<coco::Annotation>& first,
                     const std::vector<coco::Annotation>& second) {
  if (std::ranges::equal(first, second, isSameObject)) return true;
  const auto byId = [](const std::vector<coco::Annotation>& objects) {
    std::vector<std::reference_wrapper<const coco::Annotation>> sorted(objects.begin(),
                                                                       objects.end());
    std::ranges::sort(sorted, {}, [](const coco::Annotation& object) { return object.id; });
    return sorted;
  };
  return std::ranges::equal(byId(first), byId(second), isSameObject);
}

}  // namespace

ResultsPair compareResults(const coco::Dataset& dataset, const PredictionStore::ByImage& first,
                           const PredictionStore::ByImage& second, const MatchRules& rules,
                           std::stop_token stop) {
  std::vector<ImageId> images;
  for (const coco::Image& image : dataset.images())
    if (first.contains(image.id) && second.contains(image.id)) images.push_back(image.id);
  const coco::Params params = rules.params();
  const auto matchesOf = [&](const PredictionStore::ByImage& predictions) {
    return coco::matchDataset(dataset, detectionsOf(predictions, images, dataset), rules.type,
                              images, params);
  };
  const auto ofFirst = matchesOf(first);
  if (stop.stop_requested()) return {};
  const auto ofSecond = matchesOf(second);
  const auto& categories = dataset.categories();
  return {
      images.size(), coco::accumulate(ofFirst, categories, params),
      coco::accumulate(ofSecond, categories, params),
      coco::compareAp(coco::WeightedAp(ofFirst, categories, params),
                      coco::WeightedAp(ofSecond, categories, params), {.stop = std::move(stop)})};
}

QString datasetDifference(const coco::Dataset& first, const coco::Dataset& second) {
  if (!std::ranges::equal(first.categories(), second.categories(), isSameClass))
    return ResultsPairText::tr("their validation classes differ (%1 and %2)")
        .arg(first.categories().size())
        .arg(second.categories().size());
  if (!std::ranges::equal(first.images(), second.images(), isSameImage))
    return ResultsPairText::tr("their validation images differ (%1 and %2)")
        .arg(first.images().size())
        .arg(second.images().size());
  if (first.annotationCount() != second.annotationCount())
    return ResultsPairText::tr("their validation objects differ (%1 and %2)")
        .arg(first.annotationCount())
        .arg(second.annotationCount());
  for (std::size_t i = 0; i < first.images().size(); ++i)
    if (!haveSameObjects(first.annotationsOf(i), second.annotationsOf(i)))
      return ResultsPairText::tr(
                 "their validation objects differ, first in %1: one of the datasets was edited")
          .arg(QString::fromStdString(first.images()[i].fileName));
  return {};
}

}  // namespace lockstep::widgets
