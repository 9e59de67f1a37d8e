#include "widgets/instances/matched_pair.h"

#include <algorithm>

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
  if (imageIndices_.size() == dataset.images().size()) {
    for (const auto* own : {&first, &second}) sides_.push_back(matched(dataset, *own, rules));
    return;
  }
  coco::Dataset common = dataset;
  common.keepImages([&](std::size_t, const coco::Image& image) {
    return first.contains(image.id) && second.contains(image.id);
  });
  for (const auto* own : {&first, &second}) sides_.push_back(matched(common, *own, rules));
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

/// `annotation`, `detection`: in ImageOverlaps; -1: none.
PairedObject MatchedPair::instance(std::size_t side, std::size_t image, std::int32_t annotation,
                                   std::int32_t detection) const {
  const Side& own = sides_[side];
  const coco::ImageOverlaps& overlaps = own.overlaps.images()[image];
  PairedObject object;
  object.imageIndex = imageIndices_[image];
  if (detection >= 0) {
    const coco::OverlapDetection& found = overlaps.detections[static_cast<std::size_t>(detection)];
    object.detections.at(side) = static_cast<int>(own.placeOf[found.index]);
    object.score = found.score;
    object.finds.at(side) = {
        static_cast<float>(found.score),
        static_cast<float>(iouOf(overlaps, static_cast<std::uint32_t>(detection), annotation))};
    object.category = found.category;
    object.areaPx = own.areasPx[found.index];
  }
  if (annotation >= 0) {
    const coco::OverlapAnnotation& truth =
        overlaps.annotations[static_cast<std::size_t>(annotation)];
    object.annotation = annotation;
    object.category = truth.category;
    object.areaPx = objectAreasPx_[image][static_cast<std::size_t>(annotation)];
  }
  return object;
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
    for (const coco::ConfusedInstance& one :
         coco::confusedInstances(set, i, scoreThreshold, iouThreshold_))
      if (rowOf(one.annotation, rows.ofAnnotations) == actual &&
          rowOf(one.detection, rows.ofDetections) == predicted)
        objects.push_back(instance(side, i, one.annotation, one.detection));
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
    for (const coco::DetectionError& error : errors.detections)
      if (error.type == type)
        objects.push_back(instance(side, i, -1, static_cast<std::int32_t>(error.detection)));
    if (type != coco::ErrorType::Missed) continue;
    for (const std::uint32_t missed : errors.missed)
      objects.push_back(instance(side, i, static_cast<std::int32_t>(missed), -1));
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
        objects.push_back(instance(side, i, -1, static_cast<std::int32_t>(d)));
  }
  return objects;
}

}  // namespace lockstep::widgets
