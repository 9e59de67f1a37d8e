#include "engine/coco/analysis/evaluated_image.h"

#include <utility>

namespace lockstep::coco {

EvaluatedImage evaluateImage(const ImageOverlaps& image, double scoreThreshold,
                             double iouThreshold) {
  InstanceMatcher matcher;
  const InstanceMatches& matches = matcher.match(image, iouThreshold, scoreThreshold);
  ImageErrors errors = findErrors(image, matches, iouThreshold, kBackgroundIou);
  EvaluatedImage evaluated;
  auto nextError = errors.detections.begin();
  for (std::uint32_t d = 0; d < matches.detections.size(); ++d) {
    EvaluatedDetection one{d, matches.detections[d], std::nullopt};
    if (one.match.verdict == MatchVerdict::FalsePositive) one.error = (nextError++)->type;
    evaluated.detections.push_back(one);
  }
  for (std::uint32_t g = 0; g < image.annotations.size(); ++g) {
    if (matches.detectionOfAnnotation[g] == kMissed) evaluated.missed.push_back(g);
  }
  evaluated.uncovered = std::move(errors.missed);
  return evaluated;
}

}  // namespace lockstep::coco
