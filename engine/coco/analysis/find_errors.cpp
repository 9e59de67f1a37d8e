#include <algorithm>

#include "engine/coco/analysis/error_types.h"

namespace lockstep::coco {
namespace {

/// The highest IoU of a detection with objects of its class and of other classes.
struct BestOverlaps {
  const Overlap *own = nullptr, *other = nullptr;
};

double iouOf(const Overlap* overlap) { return overlap != nullptr ? overlap->iou : 0; }

/// For each detection; ties go to the first, as with numpy's argmax.
std::vector<BestOverlaps> bestOverlaps(const ImageOverlaps& image, const InstanceMatches& matches) {
  std::vector<BestOverlaps> bests(image.detections.size());
  for (const Overlap& pair : image.pairs) {
    if (matches.detectionOfAnnotation[pair.annotation] == kNotCounted) continue;
    const bool isOwn =
        image.annotations[pair.annotation].category == image.detections[pair.detection].category;
    const Overlap*& best = isOwn ? bests[pair.detection].own : bests[pair.detection].other;
    if (pair.iou > iouOf(best)) best = &pair;
  }
  return bests;
}

DetectionError errorOf(std::uint32_t detection, const BestOverlaps& best, double foreground,
                       double background) {
  const double own = iouOf(best.own), other = iouOf(best.other);
  const auto standingFor = [](const Overlap* overlap) {
    return static_cast<std::int32_t>(overlap->annotation);
  };
  if (best.own != nullptr && own >= background && own < foreground) {
    return {detection, ErrorType::Localisation, standingFor(best.own)};
  }
  if (best.other != nullptr && other >= foreground) {
    return {detection, ErrorType::Classification, standingFor(best.other)};
  }
  if (best.own != nullptr && own >= foreground) return {detection, ErrorType::Duplicate};
  if (std::max(own, other) <= background) return {detection, ErrorType::Background};
  return {detection, ErrorType::Both};
}

}  // namespace

ImageErrors findErrors(const ImageOverlaps& image, const InstanceMatches& matches,
                       double iouThreshold, double backgroundIou) {
  const std::vector<BestOverlaps> bests = bestOverlaps(image, matches);
  std::vector<char> isCovered(image.annotations.size(), 0);
  ImageErrors errors;
  for (std::uint32_t d = 0; d < matches.detections.size(); ++d) {
    if (matches.detections[d].verdict != MatchVerdict::FalsePositive) continue;
    DetectionError error = errorOf(d, bests[d], cappedIouThreshold(iouThreshold), backgroundIou);
    if (error.annotation >= 0) {
      const auto g = static_cast<std::size_t>(error.annotation);
      if (matches.detectionOfAnnotation[g] != kMissed) {
        error.annotation = -1;
      } else {
        error.becomesTruePositive = !isCovered[g];
        isCovered[g] = 1;
      }
    }
    errors.detections.push_back(error);
  }
  for (std::uint32_t g = 0; g < image.annotations.size(); ++g) {
    if (matches.detectionOfAnnotation[g] == kMissed && !isCovered[g]) errors.missed.push_back(g);
  }
  return errors;
}

}  // namespace lockstep::coco
