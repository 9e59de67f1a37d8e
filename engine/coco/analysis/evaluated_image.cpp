#include "engine/coco/analysis/evaluated_image.h"

namespace lockstep::coco {

EvaluatedImage evaluateImage(const ImageOverlaps& image, double scoreThreshold,
                             double iouThreshold) {
  // Matches, and so error types, do not depend on detections of lower score.
  InstanceMatcher matcher;
  const InstanceMatches& matches = matcher.match(image, iouThreshold);
  const ImageErrors errors = findErrors(image, matches, iouThreshold, kBackgroundIou);
  const std::uint32_t shown = InstanceMatcher::countShown(image, scoreThreshold);
  EvaluatedImage evaluated;
  auto nextError = errors.detections.begin();
  for (std::uint32_t d = 0; d < shown; ++d) {
    EvaluatedDetection one{d, matches.detections[d], std::nullopt};
    if (one.match.verdict == MatchVerdict::FalsePositive) one.error = (nextError++)->type;
    evaluated.detections.push_back(one);
  }
  for (std::uint32_t g = 0; g < image.annotations.size(); ++g) {
    const std::int32_t found = matches.detectionOfAnnotation[g];
    const bool isBelow = found >= 0 && static_cast<std::uint32_t>(found) >= shown;
    if (found == kMissed || isBelow) evaluated.missed.push_back(g);
  }
  return evaluated;
}

}  // namespace lockstep::coco
