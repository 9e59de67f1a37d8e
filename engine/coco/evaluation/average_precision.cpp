#include "engine/coco/evaluation/average_precision.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/image_matches.h"

namespace lockstep::coco {
namespace {

void checkDetection(const Dataset& groundTruth, const Detection& detection, std::size_t index) {
  const auto fail = [&](const std::string& what) {
    throw Error("result " + std::to_string(index + 1) + " (image " +
                std::to_string(detection.imageId.value) + "): " + what);
  };
  groundTruth.classOf(detection.categoryId);
  if (!std::isfinite(detection.score)) fail("its score is no finite number");
  for (double value : detection.boxXywh) {
    if (!std::isfinite(value)) fail("its box holds a value that is no finite number");
  }
}

/// The detections of each image of the data set, in their order.
std::vector<std::vector<const Detection*>> detectionsByImage(
    const Dataset& groundTruth, const std::vector<Detection>& detections) {
  std::vector<std::vector<const Detection*>> byImage(groundTruth.images().size());
  for (std::size_t i = 0; i < detections.size(); ++i) {
    checkDetection(groundTruth, detections[i], i);
    byImage[groundTruth.imageIndex(detections[i].imageId)].push_back(&detections[i]);
  }
  return byImage;
}

/// Indices into images(), rising, each once.
std::vector<std::size_t> chosenImages(const Dataset& groundTruth,
                                      const std::vector<ImageId>& imageIds) {
  std::vector<std::size_t> chosen;
  if (imageIds.empty()) {
    for (std::size_t i = 0; i < groundTruth.images().size(); ++i) chosen.push_back(i);
    return chosen;
  }
  for (ImageId id : imageIds) chosen.push_back(groundTruth.imageIndex(id));
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace

AveragePrecision evaluate(const Dataset& groundTruth, const std::vector<Detection>& detections,
                          IouType type, const std::vector<ImageId>& imageIds, int threads) {
  const auto byImage = detectionsByImage(groundTruth, detections);
  const std::vector<std::size_t> chosen = chosenImages(groundTruth, imageIds);
  std::vector<ImageMatches> matches(chosen.size());
  base::parallelFor(chosen.size(), threads, [&](std::size_t i) {
    const std::size_t image = chosen[i];
    matches[i] = matchDetections(groundTruth.images()[image], groundTruth.annotationsOf(image),
                                 byImage[image], type);
  });
  return accumulate(matches, groundTruth.categories(), threads);
}

}  // namespace lockstep::coco
