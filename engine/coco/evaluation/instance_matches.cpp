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
                                              double scoreThreshold, ObjectSize size) {
  const std::uint32_t shown = countShown(image, scoreThreshold);
  matches_.detections.resize(shown);
  for (std::uint32_t d = 0; d < shown; ++d) {
    const bool counts = isOfSize(image.detections[d].areaPx, size);
    matches_.detections[d] = {counts ? MatchVerdict::FalsePositive : MatchVerdict::Ignored, -1, 0};
  }
  for (const Overlap& pair : image.pairs) {
    if (pair.detection >= shown) break;
    const bool isOwn =
        image.detections[pair.detection].category == image.annotations[pair.annotation].category;
    double& iou = matches_.detections[pair.detection].iou;
    if (isOwn) iou = std::max(iou, pair.iou);
  }
  forMatched(image, iouThreshold, shown, size, [&](std::uint32_t d, const DetectionMatch& match) {
    DetectionMatch& own = matches_.detections[d];
    own.iou = match.iou;
    if (match.verdict != MatchVerdict::FalsePositive) own = match;
  });
  return matches_;
}

void InstanceMatcher::begin(const ImageOverlaps& image, ObjectSize size) {
  matches_.detectionOfAnnotation.resize(image.annotations.size());
  for (std::size_t g = 0; g < image.annotations.size(); ++g) {
    const OverlapAnnotation& annotation = image.annotations[g];
    const bool counts = !annotation.isCrowd && isOfSize(annotation.areaPx, size);
    matches_.detectionOfAnnotation[g] = counts ? kMissed : kNotCounted;
  }
  isTaken_.assign(image.annotations.size(), 0);
}

const Overlap* InstanceMatcher::bestOf(const ImageOverlaps& image, std::uint32_t detection,
                                       double least, std::size_t& pair) const {
  const CategoryId category = image.detections[detection].category;
  const Overlap *counting = nullptr, *other = nullptr;
  for (; pair < image.pairs.size() && image.pairs[pair].detection == detection; ++pair) {
    const Overlap& candidate = image.pairs[pair];
    if (candidate.iou < least) continue;
    const OverlapAnnotation& annotation = image.annotations[candidate.annotation];
    if (annotation.category != category) continue;
    if (isTaken_[candidate.annotation] && !annotation.isCrowd) continue;
    const bool counts = matches_.detectionOfAnnotation[candidate.annotation] != kNotCounted;
    const Overlap*& best = counts ? counting : other;
    if (best == nullptr || candidate.iou >= best->iou) best = &candidate;
  }
  return counting != nullptr ? counting : other;
}

DetectionMatch InstanceMatcher::take(const ImageOverlaps& image, const Overlap& best) {
  isTaken_[best.annotation] = 1;
  const auto annotation = static_cast<std::int32_t>(best.annotation);
  std::int32_t& found = matches_.detectionOfAnnotation[best.annotation];
  if (found == kNotCounted) return {MatchVerdict::Ignored, annotation, best.iou};
  if (image.annotations[best.annotation].id == 0)
    return {MatchVerdict::FalsePositive, -1, best.iou};
  found = static_cast<std::int32_t>(best.detection);
  return {MatchVerdict::TruePositive, annotation, best.iou};
}

}  // namespace lockstep::coco
