#include "engine/coco/evaluation/detections_by_image.h"

#include <cmath>

#include "engine/base/error.h"

namespace lockstep::coco {
namespace {

void checkDetection(const Dataset& groundTruth, const Detection& detection, std::size_t index) {
  const auto fail = [&](const std::string& what) {
    throw Error("result " + std::to_string(index + 1) + " (image " +
                std::to_string(detection.imageId.value) + "): " + what);
  };
  groundTruth.classOf(detection.categoryId);
  if (!std::isfinite(detection.score)) fail("score is not finite");
  for (double value : detection.boxXywh) {
    if (!std::isfinite(value)) fail("bbox has a value that is not finite");
  }
}

}  // namespace

std::vector<std::vector<const Detection*>> detectionsByImage(
    const Dataset& groundTruth, const std::vector<Detection>& detections) {
  std::vector<std::vector<const Detection*>> byImage(groundTruth.images().size());
  for (std::size_t i = 0; i < detections.size(); ++i) {
    checkDetection(groundTruth, detections[i], i);
    byImage[groundTruth.imageIndex(detections[i].imageId)].push_back(&detections[i]);
  }
  return byImage;
}

}  // namespace lockstep::coco
