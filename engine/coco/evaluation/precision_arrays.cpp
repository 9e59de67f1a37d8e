#include "engine/coco/evaluation/precision_arrays.h"

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/class_curves.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kCounts = kMaxDetectionCounts.size(), kRecalls = kRecallThresholds.size();

/// The score of the detection that reaches each recall; 0 if none does. The first detection reaches
/// recall 0.
RecallCurve scoresAtRecalls(std::span<const MatchedDetection> ranked, std::size_t range,
                            std::size_t threshold, const RecallCurve& needed) {
  RecallCurve scores{};
  if (!ranked.empty()) scores[0] = ranked.front().score;
  std::size_t r = 1;
  double found = 0;
  for (const MatchedDetection& detection : ranked) {
    found += detection.truePositive[range] >> threshold & 1;
    for (; r < kRecalls && needed[r] <= found; ++r) scores[r] = detection.score;
  }
  return scores;
}

/// Fills one class, area range and number of detections.
void fill(PrecisionArrays& arrays, std::span<const MatchedDetection> ranked, std::size_t k,
          std::size_t range, std::size_t m, std::uint64_t gtCount) {
  const auto column = [&](std::size_t row) {
    return ((row * arrays.classes + k) * kAreaRangeCount + range) * kCounts + m;
  };
  const HitsByThreshold hits = hitsOf(ranked, range);
  const RecallCurve needed = hitsNeeded(static_cast<double>(gtCount));
  for (std::size_t t = 0; t < kIouThresholdCount; ++t) {
    const RecallCurve precision = precisionAtRecalls(hits[t], needed);
    const RecallCurve scores = scoresAtRecalls(ranked, range, t, needed);
    for (std::size_t r = 0; r < kRecalls; ++r) {
      arrays.precision[column(t * kRecalls + r)] = precision[r];
      arrays.scores[column(t * kRecalls + r)] = scores[r];
    }
    arrays.recall[column(t)] = static_cast<double>(hits[t].size()) / static_cast<double>(gtCount);
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
    for (std::size_t m = 0; m < kCounts; ++m) {
      const auto ranked = rankDetections(lists[k], kMaxDetectionCounts[m]);
      for (std::size_t a = 0; a < kAreaRangeCount; ++a) {
        if (gtCount[a] > 0) fill(arrays, ranked, k, a, m, gtCount[a]);
      }
    }
  });
  return arrays;
}

}  // namespace lockstep::coco
