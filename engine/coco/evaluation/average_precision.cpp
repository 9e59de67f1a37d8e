#include "engine/coco/evaluation/average_precision.h"

#include <algorithm>

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/detections_by_image.h"
#include "engine/coco/evaluation/image_matches.h"

namespace lockstep::coco {
namespace {

/// Indices into images(), ascending, each once.
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

std::vector<ImageMatches> matchDataset(const Dataset& groundTruth,
                                       const std::vector<Detection>& detections, IouType type,
                                       const std::vector<ImageId>& imageIds, const Params& params,
                                       int threads) {
  const auto byImage = detectionsByImage(groundTruth, detections);
  const std::vector<std::size_t> chosen = chosenImages(groundTruth, imageIds);
  std::vector<ImageMatches> matches(chosen.size());
  base::parallelFor(chosen.size(), threads, [&](std::size_t i) {
    const std::size_t image = chosen[i];
    matches[i] = matchDetections(groundTruth.images()[image], groundTruth.annotationsOf(image),
                                 byImage[image], type, params);
  });
  return matches;
}

AveragePrecision evaluate(const Dataset& groundTruth, const std::vector<Detection>& detections,
                          IouType type, const std::vector<ImageId>& imageIds, const Params& params,
                          int threads) {
  return accumulate(matchDataset(groundTruth, detections, type, imageIds, params, threads),
                    groundTruth.categories(), params, threads);
}

std::string idZeroText(const Dataset& groundTruth) {
  for (std::size_t i = 0; i < groundTruth.images().size(); ++i) {
    if (std::ranges::find(groundTruth.annotationsOf(i), 0, &Annotation::id) !=
        groundTruth.annotationsOf(i).end())
      return "an annotation has id 0: pycocotools counts it as missed even if it is found, and its "
             "AP is lower; coco-eval and evaluate repeat that with --pycocotools-exact";
  }
  return {};
}

}  // namespace lockstep::coco
