#include "engine/coco/evaluation/precision_arrays.h"

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/class_curves.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kRecalls = kRecallThresholds.size();

/// The score of the detection that reaches each recall; 0 if none does. The first detection reaches
/// recall 0.
RecallCurve scoresAtRecalls(std::span<const double> scores, std::span<const Outcome> outcomes,
                            std::size_t threshold, const RecallCurve& needed) {
  RecallCurve reached{};
  if (!scores.empty()) reached[0] = scores.front();
  std::size_t r = 1;
  double found = 0;
  for (std::size_t d = 0; d < scores.size(); ++d) {
    found += outcomes[d].truePositive >> threshold & 1;
    for (; r < kRecalls && needed[r] <= found; ++r) reached[r] = scores[d];
  }
  return reached;
}

/// Fills one class, area range and number of detections.
void fill(PrecisionArrays& arrays, const RankedDetections& ranked, std::size_t k, std::size_t area,
          std::size_t m, std::uint64_t gtCount) {
  const auto column = [&](std::size_t row) {
    return ((row * arrays.classes + k) * arrays.areas + area) * arrays.counts + m;
  };
  const std::span<const Outcome> outcomes = ranked.outcomesIn(area);
  const HitsByThreshold hits = hitsOf(outcomes, arrays.thresholds);
  const RecallCurve needed = hitsNeeded(static_cast<double>(gtCount));
  for (std::size_t t = 0; t < arrays.thresholds; ++t) {
    const RecallCurve precision = precisionAtRecalls(hits[t], needed);
    const RecallCurve scores = scoresAtRecalls(ranked.scores, outcomes, t, needed);
    for (std::size_t r = 0; r < kRecalls; ++r) {
      arrays.precision[column(t * kRecalls + r)] = precision[r];
      arrays.scores[column(t * kRecalls + r)] = scores[r];
    }
    arrays.recall[column(t)] = static_cast<double>(hits[t].size()) / static_cast<double>(gtCount);
  }
}

}  // namespace

PrecisionArrays accumulateArrays(std::span<const ImageMatches> images,
                                 const std::vector<Category>& categories, const Params& params,
                                 int threads) {
  const std::vector<ClassList> lists = matchesByClass(images, categories);
  PrecisionArrays arrays;
  arrays.thresholds = params.iouThresholds.size();
  arrays.classes = lists.size();
  arrays.areas = params.areas.size();
  arrays.counts = params.maxDetections.size();
  const std::size_t cells = arrays.thresholds * arrays.classes * arrays.areas * arrays.counts;
  arrays.recall.assign(cells, -1);
  arrays.precision.assign(cells * kRecalls, -1);
  arrays.scores.assign(cells * kRecalls, -1);
  base::parallelFor(lists.size(), threads, [&](std::size_t k) {
    const auto gtCount = countAnnotations(lists[k]);
    for (std::size_t m = 0; m < arrays.counts; ++m) {
      const auto ranked = rankDetections(lists[k], params.maxDetections[m], arrays.areas);
      for (std::size_t a = 0; a < arrays.areas; ++a) {
        if (gtCount[a] > 0) fill(arrays, ranked, k, a, m, gtCount[a]);
      }
    }
  });
  return arrays;
}

}  // namespace lockstep::coco
