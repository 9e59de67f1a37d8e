#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/image_matches.h"

namespace lockstep::coco {

std::vector<ImageMatches> matchResults(const Dataset& groundTruth, const ResultsFile& results,
                                       IouType type, int threads) {
  std::vector<ImageMatches> matches(groundTruth.images().size());
  base::parallelFor(matches.size(), threads, [&](std::size_t i) {
    const std::vector<Detection> detections = results.detectionsOf(i);
    std::vector<const Detection*> pointers;
    pointers.reserve(detections.size());
    for (const Detection& detection : detections) pointers.push_back(&detection);
    matches[i] =
        matchDetections(groundTruth.images()[i], groundTruth.annotationsOf(i), pointers, type);
  });
  return matches;
}

}  // namespace lockstep::coco
