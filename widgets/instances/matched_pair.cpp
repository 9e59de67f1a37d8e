#include "widgets/instances/matched_pair.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/instance_matches.h"

namespace lockstep::widgets {
namespace {

/// Of a detection with an annotation, or (-1) the highest with any object; 0: it overlaps none.
double iouOf(const coco::ImageOverlaps& image, std::uint32_t detection, std::int32_t annotation) {
  double highest = 0;
  for (const coco::Overlap& pair :
       std::ranges::equal_range(image.pairs, detection, {}, &coco::Overlap::detection))
    if (annotation < 0 ? !image.annotations[pair.annotation].isCrowd
                       : pair.annotation == static_cast<std::uint32_t>(annotation))
      highest = std::max(highest, pair.iou);
  return highest;
}

Finders findersOf(bool areOfFirst, bool areOfSecond) {
  if (areOfFirst) return areOfSecond ? Finders::Both : Finders::OnlyFirst;
  return areOfSecond ? Finders::OnlySecond : Finders::Neither;
}

/// The object that a false positive is on: of its class or of another one, as the error says, the
/// one of highest IoU; -1: none.
std::int32_t objectUnder(const coco::ImageOverlaps& image, const coco::DetectionError& error) {
  using enum coco::ErrorType;
  if (error.type == Background) return -1;
  const bool isOfItsClass = error.type == Localisation || error.type == Duplicate;
  std::int32_t best = -1;
  double highest = 0;
  for (const coco::Overlap& pair :
       std::ranges::equal_range(image.pairs, error.detection, {}, &coco::Overlap::detection)) {
    const coco::OverlapAnnotation& object = image.annotations[pair.annotation];
    const bool isSame = object.category == image.detections[error.detection].category;
    if (object.isCrowd || isSame != isOfItsClass || pair.iou <= highest) continue;
    highest = pair.iou;
    best = static_cast<std::int32_t>(pair.annotation);
  }
  return best;
}

}  // namespace

MatchedPair::MatchedPair(const coco::Dataset& dataset, const PredictionStore::ByImage& first,
                         const PredictionStore::ByImage& second, const MatchRules& rules,
                         double iouThreshold)
    : iouThreshold_(iouThreshold) {
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    const ImageId id = dataset.images()[i].id;
    if (!first.contains(id) || !second.contains(id)) continue;
    imageIndices_.push_back(i);
    std::vector<double>& areas = objectAreasPx_.emplace_back();
    for (const coco::Annotation& object : dataset.annotationsOf(i))
      areas.push_back(shownAreaPx(object, rules.type));
  }
  std::optional<coco::Dataset> common;  // only if it is another one: it is a copy
  if (imageIndices_.size() < dataset.images().size()) {
    common = dataset;
    common->keepImages([&](std::size_t, const coco::Image& image) {
      return first.contains(image.id) && second.contains(image.id);
    });
  }
  for (const auto* own : {&first, &second})
    sides_.push_back(matched(common ? *common : dataset, *own, rules));
  countObjects();
}

void MatchedPair::countObjects() {
  const coco::OverlapSet& set = sides_[0].overlaps;
  objectCounts_.resize(set.categories().size());
  for (std::size_t i = 0; i < set.images().size(); ++i) {
    const auto& objects = set.images()[i].annotations;
    for (std::size_t a = 0; a < objects.size(); ++a)
      if (!objects[a].isCrowd) ++objectCounts_[set.rowsOf(i).ofAnnotations[a]];
  }
}

MatchedPair::Side MatchedPair::matched(const coco::Dataset& common,
                                       const PredictionStore::ByImage& predictions,
                                       const MatchRules& rules) const {
  std::vector<coco::Detection> detections;
  std::vector<std::uint32_t> placeOf;
  std::vector<double> areasPx;
  std::size_t unlisted = 0;
  for (const coco::Image& image : common.images()) {
    const auto own = predictions.at(image.id).read();
    for (std::uint32_t place = 0; place < own->size(); ++place) {
      const coco::Detection& one = (*own)[place];
      if (!common.hasCategory(one.categoryId)) {
        ++unlisted;
        continue;
      }
      detections.push_back(one);
      placeOf.push_back(place);
      areasPx.push_back(shownAreaPx(one, rules.type));
    }
  }
  coco::OverlapSet overlaps(common, detections, rules.type, rules.params());
  coco::PrecisionRecall curves = coco::precisionRecall(overlaps, iouThreshold_);
  coco::ErrorCosts errors = coco::errorCosts(overlaps, iouThreshold_);
  return {std::move(overlaps), std::move(placeOf),
          std::move(areasPx),  unlisted,
          std::move(curves),   errors};
}

MatchedPair::Confusions MatchedPair::confusionsAt(double scoreThreshold) const {
  Confusions both;
  for (std::size_t i = 0; i < both.size(); ++i)
    both.at(i) = coco::operatingPoint(sides_[i].overlaps, scoreThreshold, iouThreshold_).confusion;
  return both;
}

/// `annotation`: in ImageOverlaps.
PairedObject MatchedPair::object(std::size_t image, std::int32_t annotation) const {
  const auto place = static_cast<std::size_t>(annotation);
  PairedObject object;
  object.imageIndex = imageIndices_[image];
  object.annotation = annotation;
  object.category = sides_[0].overlaps.images()[image].annotations[place].category;
  object.areaPx = objectAreasPx_[image][place];
  return object;
}

/// What a side detects, and how well it is on `one.annotation`, or (-1) on any object.
void MatchedPair::addFind(PairedObject& object, std::size_t side, std::size_t image,
                          const coco::ConfusedInstance& one) const {
  const coco::OverlapSet& set = sides_[side].overlaps;
  const coco::ImageOverlaps& overlaps = set.images()[image];
  const auto place = static_cast<std::uint32_t>(one.detection);
  object.predicted.at(side) = static_cast<std::int32_t>(set.rowsOf(image).ofDetections[place]);
  object.finds.at(side) = {static_cast<float>(overlaps.detections[place].score),
                           static_cast<float>(iouOf(overlaps, place, one.annotation))};
}

PairedObject MatchedPair::instance(std::size_t side, std::size_t image,
                                   const coco::ConfusedInstance& one) const {
  PairedObject object;
  object.imageIndex = imageIndices_[image];
  if (one.annotation >= 0) object = this->object(image, one.annotation);
  if (one.detection < 0) return object;
  const Side& own = sides_[side];
  const coco::OverlapDetection& found =
      own.overlaps.images()[image].detections[static_cast<std::size_t>(one.detection)];
  addFind(object, side, image, one);
  object.detections.at(side) = static_cast<int>(own.placeOf[found.index]);
  object.score = found.score;
  if (one.annotation >= 0) return object;
  object.category = found.category;
  object.areaPx = own.areasPx[found.index];
  return object;
}

/// By annotation: what the confusion matrix counts it with, in ImageOverlaps; -1: nothing; -2: it
/// does not count.
std::vector<std::int32_t> MatchedPair::detectionsOfObjects(std::size_t side, std::size_t image,
                                                           double scoreThreshold) const {
  const coco::OverlapSet& set = sides_[side].overlaps;
  std::vector<std::int32_t> found(set.images()[image].annotations.size(), coco::kNotCounted);
  for (const coco::ConfusedInstance& one :
       coco::confusedInstances(set, image, scoreThreshold, iouThreshold_))
    if (one.annotation >= 0) found[static_cast<std::size_t>(one.annotation)] = one.detection;
  return found;
}

std::vector<PairedObject> MatchedPair::objectsAt(double scoreThreshold) const {
  std::vector<std::vector<PairedObject>> ofImages(imageIndices_.size());
  base::parallelFor(ofImages.size(), 0, [&](std::size_t i) {
    const std::array found{detectionsOfObjects(0, i, scoreThreshold),
                           detectionsOfObjects(1, i, scoreThreshold)};
    for (std::size_t a = 0; a < found[0].size(); ++a) {
      if (found[0][a] == coco::kNotCounted) continue;
      const auto annotation = static_cast<std::int32_t>(a);
      PairedObject own = object(i, annotation);
      std::array<bool, 2> areRight{};
      for (std::size_t side = 0; side < found.size(); ++side) {
        const std::int32_t detection = found.at(side)[a];
        if (detection < 0) continue;
        addFind(own, side, i, {annotation, detection});
        const auto row = static_cast<std::size_t>(own.predicted.at(side));
        areRight.at(side) = categories()[row].id == own.category;
      }
      own.finders = findersOf(areRight[0], areRight[1]);
      ofImages[i].push_back(own);
    }
  });
  std::vector<PairedObject> all;
  for (const std::vector<PairedObject>& objects : ofImages)
    all.insert(all.end(), objects.begin(), objects.end());
  return all;
}

/// What the other side takes the objects `on` each for.
void MatchedPair::addOther(std::span<PairedObject> objects, std::span<const std::int32_t> on,
                           std::size_t other, std::size_t image, double scoreThreshold) const {
  if (std::ranges::all_of(on, [](std::int32_t annotation) { return annotation < 0; })) return;
  const std::vector<std::int32_t> found = detectionsOfObjects(other, image, scoreThreshold);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (on[i] < 0) continue;
    const std::int32_t detection = found[static_cast<std::size_t>(on[i])];
    if (detection >= 0) addFind(objects[i], other, image, {on[i], detection});
  }
}

std::vector<PairedObject> MatchedPair::ofCell(std::size_t side, double scoreThreshold,
                                              std::size_t actual, std::size_t predicted) const {
  const coco::OverlapSet& set = sides_.at(side).overlaps;
  const auto rowOf = [background = set.categories().size()](std::int32_t index,
                                                            const auto& rows) -> std::size_t {
    return index < 0 ? background : rows[static_cast<std::size_t>(index)];
  };
  std::vector<PairedObject> objects;
  for (std::size_t i = 0; i < set.images().size(); ++i) {
    const coco::OverlapSet::ClassRows& rows = set.rowsOf(i);
    const std::size_t before = objects.size();
    std::vector<std::int32_t> on;
    for (const coco::ConfusedInstance& one :
         coco::confusedInstances(set, i, scoreThreshold, iouThreshold_)) {
      if (rowOf(one.annotation, rows.ofAnnotations) != actual ||
          rowOf(one.detection, rows.ofDetections) != predicted)
        continue;
      objects.push_back(instance(side, i, one));
      on.push_back(one.annotation);
    }
    addOther(std::span(objects).subspan(before), on, 1 - side, i, scoreThreshold);
  }
  return objects;
}

std::vector<PairedObject> MatchedPair::ofError(std::size_t side, coco::ErrorType type) const {
  const coco::OverlapSet& set = sides_.at(side).overlaps;
  coco::InstanceMatcher matcher;
  std::vector<PairedObject> objects;
  for (std::size_t i = 0; i < set.images().size(); ++i) {
    const coco::ImageOverlaps& image = set.images()[i];
    const coco::ImageErrors errors = coco::findErrors(image, matcher.match(image, iouThreshold_),
                                                      iouThreshold_, coco::kBackgroundIou);
    const std::size_t before = objects.size();
    std::vector<std::int32_t> on;
    for (const coco::DetectionError& error : errors.detections) {
      if (error.type != type) continue;
      objects.push_back(instance(side, i, {-1, static_cast<std::int32_t>(error.detection)}));
      on.push_back(objectUnder(image, error));
      if (on.back() >= 0)
        objects.back().category = image.annotations[static_cast<std::size_t>(on.back())].category;
    }
    if (type == coco::ErrorType::Missed)
      for (const std::uint32_t missed : errors.missed) {
        on.push_back(static_cast<std::int32_t>(missed));
        objects.push_back(instance(side, i, {on.back(), -1}));
      }
    addOther(std::span(objects).subspan(before), on, 1 - side, i,
             -std::numeric_limits<double>::infinity());
  }
  return objects;
}

std::vector<PairedObject> MatchedPair::ofScore(std::size_t side,
                                               std::optional<std::size_t> category,
                                               double score) const {
  const coco::OverlapSet& set = sides_.at(side).overlaps;
  std::vector<PairedObject> objects;
  for (std::size_t i = 0; i < set.images().size(); ++i) {
    const auto& detections = set.images()[i].detections;
    for (std::size_t d = 0; d < detections.size(); ++d)
      if (detections[d].score == score &&
          (!category || detections[d].category == set.categories()[*category].id))
        objects.push_back(instance(side, i, {-1, static_cast<std::int32_t>(d)}));
  }
  return objects;
}

}  // namespace lockstep::widgets
