#include "engine/coco/evaluation/precision_arrays.h"

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/class_curves.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kCounts = kMaxDetectionCounts.size(), kRecalls = kRecallThresholds.size();

/// Fills one class, area range and number of detections.
void fill(PrecisionArrays& arrays, const ClassList& images, std::size_t k, std::size_t range,
          std::size_t m, std::uint64_t gtCount) {
  const std::size_t most = kMaxDetectionCounts[m];
  const auto ranked = rankDetections(images, most);
  const auto column = [&](std::size_t row) {
    return ((row * arrays.classes + k) * kAreaRangeCount + range) * kCounts + m;
  };
  for (std::size_t t = 0; t < kIouThresholdCount; ++t) {
    const PrecisionCurve curve = precisionCurve(ranked, range, t, gtCount);
    for (std::size_t r = 0; r < kRecalls; ++r) {
      arrays.precision[column(t * kRecalls + r)] = curve.precision[r];
      arrays.scores[column(t * kRecalls + r)] = curve.score[r];
    }
    arrays.recall[column(t)] = recallOf(images, most, range, t, gtCount);
  }
}

}  // namespace

PrecisionArrays accumulateArrays(std::span<const ImageMatches> images,
                                 const std::vector<Category>& categories, int threads) {
  const std::vector<ClassList> lists = matchesByClass(images, categories);
  const std::size_t cells = kIouThresholdCount * lists.size() * kAreaRangeCount * kCounts;
  PrecisionArrays arrays{lists.size(), std::vector<double>(cells * kRecalls, -1),
                         std::vector<double>(cells, -1), std::vector<double>(cells * kRecalls, -1)};
  base::parallelFor(lists.size(), threads, [&](std::size_t k) {
    const auto gtCount = countAnnotations(lists[k]);
    for (std::size_t a = 0; a < kAreaRangeCount; ++a) {
      for (std::size_t m = 0; m < kCounts && gtCount[a] > 0; ++m) {
        fill(arrays, lists[k], k, a, m, gtCount[a]);
      }
    }
  });
  return arrays;
}

}  // namespace lockstep::coco
