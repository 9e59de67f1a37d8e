#include "engine/dataset_check/part_facts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/coco/evaluation/past_limit.h"
#include "engine/config/evaluation_metrics.h"

namespace lockstep::dataset_check {
namespace {

/// first, first * factor … last
std::vector<double> growing(double first, double factor, double last) {
  std::vector<double> edges;
  for (double edge = first; edge < last * std::sqrt(factor); edge *= factor) edges.push_back(edge);
  return edges;
}

config::AnnotatedBox boxOf(const coco::Annotation& object, const coco::Image& image) {
  return {{image.height, image.width}, object.boxXywh, object.area};
}

class FactsCounter {
 public:
  FactsCounter(const PartData& part, const config::Experiment& experiment)
      : part_(part), experiment_(experiment) {
    facts_.objectsPerImage = Histogram({0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000});
    facts_.aspectRatios = Histogram(growing(1. / 16, std::sqrt(2.), 16));
    facts_.sides = Histogram(growing(1, std::sqrt(2.), 2048));
  }

  PartFacts count() {
    const coco::Dataset& dataset = part_.dataset();
    for (const coco::Category& category : dataset.categories())
      facts_.classes.push_back({category});
    facts_.images = static_cast<std::int64_t>(dataset.images().size());
    for (std::size_t i = 0; i < dataset.images().size(); ++i) addImage(i);
    if (facts_.images > 0) {
      facts_.meanObjects = static_cast<double>(facts_.objects) / static_cast<double>(facts_.images);
    }
    for (const auto& [size, images] : sizes_)
      facts_.imageSizes.push_back({size.first, size.second, images});
    std::ranges::stable_sort(facts_.imageSizes, std::greater(), &SizeFacts::images);
    fitAnchors();
    addLimits();
    return std::move(facts_);
  }

 private:
  void addImage(std::size_t index) {
    const coco::Image& image = part_.image(index);
    ++sizes_[{image.width, image.height}];
    std::set<std::int32_t> classes;
    std::int64_t objects = 0;
    for (const coco::Annotation& annotation : part_.dataset().annotationsOf(index)) {
      if (annotation.isCrowd) {
        ++facts_.crowds;
        continue;
      }
      ++objects;
      const std::int32_t number = part_.dataset().classOf(annotation.categoryId).value;
      ++facts_.classes[static_cast<std::size_t>(number) - 1].objects;
      classes.insert(number);
      addObject(annotation, image);
    }
    for (const std::int32_t number : classes)
      ++facts_.classes[static_cast<std::size_t>(number) - 1].images;
    facts_.objects += objects;
    facts_.emptyImages += objects == 0;
    facts_.objectsPerImage.add(static_cast<double>(objects));
    facts_.fewestObjects = index == 0 ? objects : std::min(facts_.fewestObjects, objects);
    if (index > 0 && objects <= facts_.mostObjects) return;
    facts_.mostObjects = objects;
    facts_.mostCrowdedId = image.id.value;
    facts_.mostCrowdedFile = image.fileName;
  }

  void addObject(const coco::Annotation& annotation, const coco::Image& image) {
    facts_.boxOnlyObjects += !annotation.hasMask;
    const config::AnnotatedBox object = boxOf(annotation, image);
    const double area = config::resizedArea(object, experiment_.augment);
    facts_.sides.add(std::sqrt(area));
    ++facts_.bySize[static_cast<std::size_t>(coco::sizeOf(area)) - 1];
    if (const auto ratio = aspectRatio(annotation)) facts_.aspectRatios.add(*ratio);
    if (annotation.isUsable()) boxes_.push_back(object);
  }

  void fitAnchors() {
    facts_.usableObjects = static_cast<std::int64_t>(boxes_.size());
    const config::AnchorConfig& anchors = experiment_.model.anchors;
    facts_.anchors = config::fitAnchors(boxes_, experiment_.augment, anchors);
    facts_.suggestedAnchors = anchors;
    if (boxes_.empty() || facts_.anchors.isGood()) return;
    facts_.suggestedAnchors = config::suggestedAnchors(boxes_, experiment_.augment, anchors);
    facts_.suggestedMissed =
        config::fitAnchors(boxes_, experiment_.augment, facts_.suggestedAnchors).all().share();
  }

  void addLimits() {
    const std::string model = coco::detectionLimitText(
        part_.dataset(), static_cast<std::size_t>(experiment_.model.boxHead.detectionsPerImage));
    if (!model.empty()) facts_.limitText = "model.box_head.detections_per_image: " + model;
    if (part_.part == Part::Train) return;  // not evaluated
    const std::string past =
        coco::objectsPastLimit(part_.dataset(),
                               config::apParams(experiment_.evaluation).mostDetections(),
                               static_cast<std::size_t>(experiment_.evaluation.maxImages))
            .text();
    if (!past.empty()) facts_.limitText += (facts_.limitText.empty() ? "" : "; ") + past;
  }

  const PartData& part_;
  const config::Experiment& experiment_;
  PartFacts facts_;
  std::map<std::pair<int, int>, std::int64_t> sizes_;
  std::vector<config::AnnotatedBox> boxes_;
};

}  // namespace

Histogram::Histogram(std::vector<double> theEdges) : edges(std::move(theEdges)) {
  if (edges.size() > 1) counts.resize(edges.size() - 1);
}

std::size_t Histogram::binOf(double value) const {
  const auto above = std::ranges::upper_bound(edges, value) - edges.begin();
  const auto last = static_cast<std::ptrdiff_t>(counts.size()) - 1;
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - 1, 0, last));
}

double resizedSide(const coco::Annotation& object, const coco::Image& image,
                   const config::AugmentConfig& augment) {
  return std::sqrt(config::resizedArea(boxOf(object, image), augment));
}

std::optional<double> aspectRatio(const coco::Annotation& object) {
  const auto& box = object.boxXywh;
  return box[2] > 0 && box[3] > 0 ? std::optional(box[3] / box[2]) : std::nullopt;
}

PartFacts factsOf(const PartData& part, const config::Experiment& experiment) {
  return FactsCounter(part, experiment).count();
}

}  // namespace lockstep::dataset_check
