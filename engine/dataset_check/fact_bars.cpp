#include "engine/dataset_check/fact_bars.h"

#include <algorithm>
#include <set>

#include "engine/base/error.h"

namespace lockstep::dataset_check {
namespace {

/// Place of a class in facts.classes.
std::size_t classPlace(const coco::Dataset& dataset, const coco::Annotation& object) {
  return static_cast<std::size_t>(dataset.classOf(object.categoryId).value) - 1;
}

std::vector<std::vector<std::int64_t>> classPairs(const coco::Dataset& dataset) {
  const std::size_t classes = dataset.categories().size();
  std::vector<std::vector<std::int64_t>> pairs(classes, std::vector<std::int64_t>(classes));
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    std::set<std::size_t> present;
    for (const coco::Annotation& object : dataset.annotationsOf(i))
      if (!object.isCrowd) present.insert(classPlace(dataset, object));
    for (const std::size_t first : present)
      for (const std::size_t second : present) ++pairs[first][second];
  }
  return pairs;
}

/// Whether the bar counts this object. Of ObjectsPerImage, which counts images: all.
bool counts(const CountedPart& part, const FactBar& bar, const coco::Annotation& object,
            const coco::Image& image) {
  using enum FactBar::Of;
  switch (bar.of) {
    case Class:
      return classPlace(part.data.dataset(), object) == bar.index;
    case Side:
      return part.facts.sides.binOf(resizedSide(object, image, part.augment)) == bar.index;
    case AspectRatio: {
      const auto ratio = aspectRatio(object);
      return ratio && part.facts.aspectRatios.binOf(*ratio) == bar.index;
    }
    case ClassPair: {
      const std::size_t place = classPlace(part.data.dataset(), object);
      return place == bar.index || place == bar.other;
    }
    case ObjectsPerImage:
      return true;
  }
  return false;
}

/// Whether these objects make it one of the bar's images.
bool counts(const CountedPart& part, const FactBar& bar, const CountedImage& image) {
  const coco::Dataset& dataset = part.data.dataset();
  if (bar.of == FactBar::Of::ObjectsPerImage)
    return part.facts.objectsPerImage.binOf(static_cast<double>(image.objects.size())) == bar.index;
  if (bar.of != FactBar::Of::ClassPair) return !image.objects.empty();
  const auto& annotations = dataset.annotationsOf(image.image);
  const auto has = [&](std::size_t place) {
    return std::ranges::any_of(image.objects, [&](std::size_t object) {
      return classPlace(dataset, annotations[object]) == place;
    });
  };
  return has(bar.index) && has(bar.other);
}

}  // namespace

CountedPart countPart(const config::Experiment& experiment, Part part,
                      const coco::ReadingWatch& watch) {
  const config::DatasetSplit& paths =
      part == Part::Train ? experiment.dataset.train : experiment.dataset.val;
  CountedPart counted{.data = {.part = part, .annotations = paths.annotations},
                      .augment = experiment.augment,
                      .anchors = experiment.model.anchors};
  if (paths.annotations.empty()) throw UserError(counted.data.key() + ": not set");
  counted.data.images = paths.images;
  counted.data.content = coco::loadLeniently(paths.annotations, watch);
  if (watch && !watch(1)) throw coco::ReadingStopped();
  counted.facts = factsOf(counted.data, experiment);
  counted.classPairs = classPairs(counted.data.dataset());
  return counted;
}

std::vector<CountedImage> imagesOf(const CountedPart& part, const FactBar& bar) {
  const coco::Dataset& dataset = part.data.dataset();
  std::vector<CountedImage> found;
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    CountedImage image{i};
    const auto& annotations = dataset.annotationsOf(i);
    for (std::size_t j = 0; j < annotations.size(); ++j)
      if (!annotations[j].isCrowd && counts(part, bar, annotations[j], dataset.images()[i]))
        image.objects.push_back(j);
    if (counts(part, bar, image)) found.push_back(std::move(image));
  }
  return found;
}

}  // namespace lockstep::dataset_check
