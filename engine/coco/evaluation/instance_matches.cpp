#include "engine/coco/evaluation/instance_matches.h"

#include <algorithm>

namespace lockstep::coco {

const InstanceMatches& InstanceMatcher::match(const ImageOverlaps& image, double iouThreshold,
                                              double scoreThreshold, ObjectSize size) {
  matches_.detections.clear();
  matches_.detectionOfAnnotation.clear();
  for (const OverlapAnnotation& annotation : image.annotations) {
    const bool counts = !annotation.isCrowd && isOfSize(annotation.areaPx, size);
    matches_.detectionOfAnnotation.push_back(counts ? kMissed : kNotCounted);
  }
  isTaken_.assign(image.annotations.size(), 0);
  nextPair_ = 0;
  const double least = leastIou(iouThreshold);
  for (std::uint32_t d = 0; d < image.detections.size(); ++d) {
    if (image.detections[d].score < scoreThreshold) break;
    const DetectionMatch match = matchOne(image, d, least, size);
    matches_.detections.push_back(match);
    if (match.verdict == MatchVerdict::TruePositive) {
      matches_.detectionOfAnnotation[static_cast<std::size_t>(match.annotation)] =
          static_cast<std::int32_t>(d);
    }
  }
  return matches_;
}

DetectionMatch InstanceMatcher::matchOne(const ImageOverlaps& image, std::uint32_t detection,
                                         double least, ObjectSize size) {
  const OverlapDetection& own = image.detections[detection];
  double bestOfClass = 0;
  const Overlap *counting = nullptr, *other = nullptr;
  const auto isBetter = [least](const Overlap& pair, const Overlap* best) {
    return pair.iou >= (best != nullptr ? best->iou : least);
  };
  for (; nextPair_ < image.pairs.size() && image.pairs[nextPair_].detection == detection;
       ++nextPair_) {
    const Overlap& pair = image.pairs[nextPair_];
    const OverlapAnnotation& annotation = image.annotations[pair.annotation];
    if (annotation.category != own.category) continue;
    bestOfClass = std::max(bestOfClass, pair.iou);
    if (isTaken_[pair.annotation] && !annotation.isCrowd) continue;
    const bool counts = matches_.detectionOfAnnotation[pair.annotation] != kNotCounted;
    const Overlap*& best = counts ? counting : other;
    if (isBetter(pair, best)) best = &pair;
  }
  const MatchVerdict unmatched =
      isOfSize(own.areaPx, size) ? MatchVerdict::FalsePositive : MatchVerdict::Ignored;
  const Overlap* const best = counting != nullptr ? counting : other;
  if (best == nullptr) return {unmatched, -1, bestOfClass};
  isTaken_[best->annotation] = 1;
  if (counting != nullptr && image.annotations[best->annotation].id == 0) {
    return {unmatched, -1, best->iou};
  }
  return {counting != nullptr ? MatchVerdict::TruePositive : MatchVerdict::Ignored,
          static_cast<std::int32_t>(best->annotation), best->iou};
}

}  // namespace lockstep::coco
