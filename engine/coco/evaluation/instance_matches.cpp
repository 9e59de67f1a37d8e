#include "engine/coco/evaluation/instance_matches.h"

#include <algorithm>

namespace lockstep::coco {

std::uint32_t InstanceMatcher::countShown(const ImageOverlaps& image, double scoreThreshold) {
  const auto end = std::partition_point(
      image.detections.begin(), image.detections.end(),
      [=](const OverlapDetection& detection) { return detection.score >= scoreThreshold; });
  return static_cast<std::uint32_t>(end - image.detections.begin());
}

const InstanceMatches& InstanceMatcher::match(const ImageOverlaps& image, double iouThreshold,
                                              double scoreThreshold, const AreaLimits& area) {
  const std::uint32_t shown = countShown(image, scoreThreshold);
  matches_.detections.resize(shown);
  for (std::uint32_t d = 0; d < shown; ++d) {
    const bool counts = area.contains(image.detections[d].areaPx);
    matches_.detections[d] = {counts ? MatchVerdict::FalsePositive : MatchVerdict::Ignored, -1, 0};
  }
  for (const Overlap& pair : image.pairs) {
    if (pair.detection >= shown) break;
    const bool isOwn =
        image.detections[pair.detection].category == image.annotations[pair.annotation].category;
    double& iou = matches_.detections[pair.detection].iou;
    if (isOwn) iou = std::max(iou, pair.iou);
  }
  begin(image, iouThreshold, shown);
  forMatched(area, [&](std::uint32_t d, const DetectionMatch& match) {
    DetectionMatch& own = matches_.detections[d];
    own.iou = match.iou;
    if (match.verdict != MatchVerdict::FalsePositive) own = match;
  });
  return matches_;
}

void InstanceMatcher::begin(const ImageOverlaps& image, double iouThreshold, std::uint32_t shown) {
  const double least = cappedIouThreshold(iouThreshold);
  image_ = &image;
  candidates_.clear();
  for (const Overlap& pair : image.pairs) {
    if (pair.detection >= shown) break;
    if (pair.iou < least) continue;
    const CategoryId category = image.detections[pair.detection].category;
    if (image.annotations[pair.annotation].category == category) candidates_.push_back(pair);
  }
}

void InstanceMatcher::freeAnnotations(const AreaLimits& area) {
  const std::vector<OverlapAnnotation>& annotations = image_->annotations;
  isTaken_.assign(annotations.size(), 0);
  matches_.detectionOfAnnotation.resize(annotations.size());
  for (std::size_t g = 0; g < annotations.size(); ++g) {
    const bool counts = !annotations[g].isCrowd && area.contains(annotations[g].areaPx);
    matches_.detectionOfAnnotation[g] = counts ? kMissed : kNotCounted;
  }
}

const Overlap* InstanceMatcher::bestOf(std::span<const Overlap> candidates) const {
  const Overlap *counting = nullptr, *other = nullptr;
  for (const Overlap& candidate : candidates) {
    const std::uint32_t g = candidate.annotation;
    if (isTaken_[g] && !image_->annotations[g].isCrowd) continue;
    const Overlap*& best = matches_.detectionOfAnnotation[g] != kNotCounted ? counting : other;
    if (best == nullptr || candidate.iou >= best->iou) best = &candidate;
  }
  return counting != nullptr ? counting : other;
}

DetectionMatch InstanceMatcher::take(const Overlap& best) {
  isTaken_[best.annotation] = 1;
  const auto annotation = static_cast<std::int32_t>(best.annotation);
  std::int32_t& found = matches_.detectionOfAnnotation[best.annotation];
  if (found == kNotCounted) return {MatchVerdict::Ignored, annotation, best.iou};
  if (image_->annotations[best.annotation].isMatchLost)
    return {MatchVerdict::FalsePositive, -1, best.iou};
  found = static_cast<std::int32_t>(best.detection);
  return {MatchVerdict::TruePositive, annotation, best.iou};
}

}  // namespace lockstep::coco
