#include "tests/coco/match_image.h"

#include <algorithm>

#include "engine/coco/evaluation/instance_matches.h"

namespace lockstep::tests {

using namespace coco;

namespace {

/// Detections over the limit have no match, but an IoU to show.
void fillOverlaps(const ImageOverlaps& image, ImageMatch& match) {
  for (const Overlap& pair : image.pairs) {
    const OverlapDetection& detection = image.detections[pair.detection];
    if (detection.category != image.annotations[pair.annotation].category) continue;
    double& iou = match.iouOfDetection[detection.index];
    iou = std::max(iou, pair.iou);
  }
}

}  // namespace

ImageMatch matchImage(const Image& image, const std::vector<Annotation>& annotations,
                      const std::vector<Detection>& detections, IouType type, double scoreThreshold,
                      double iouThreshold, const Params& params) {
  std::vector<const Detection*> pointers;
  pointers.reserve(detections.size());
  for (const Detection& detection : detections) pointers.push_back(&detection);
  const ImageOverlaps overlaps = findOverlaps(image, annotations, pointers, type, params);
  InstanceMatcher matcher;
  const InstanceMatches& matches = matcher.match(overlaps, iouThreshold, scoreThreshold);
  ImageMatch match;
  match.gtOfDetection.assign(detections.size(), -2);
  match.iouOfDetection.assign(detections.size(), 0);
  fillOverlaps(overlaps, match);
  for (std::size_t d = 0; d < matches.detections.size(); ++d) {
    const std::uint32_t index = overlaps.detections[d].index;
    match.gtOfDetection[index] = matches.detections[d].annotation;
    match.iouOfDetection[index] = matches.detections[d].iou;
  }
  for (const std::int32_t found : matches.detectionOfAnnotation) {
    const bool isFound = found >= 0;
    match.detectionOfGt.push_back(
        isFound ? static_cast<int>(overlaps.detections[static_cast<std::size_t>(found)].index)
                : found);
  }
  return match;
}

}  // namespace lockstep::tests
