#include "engine/coco/analysis/precision_at_recalls.h"

#include <algorithm>
#include <cmath>

#include "engine/coco/evaluation/pairwise_mean.h"

namespace lockstep::coco {
namespace {

constexpr double kSpacing = 0x1.0p-52;  // numpy's spacing(1), which pycocotools adds

/// The least whole number of hits that reaches a recall, as pycocotools divides.
double hitsFor(double recall, double gtCount) {
  double hits = std::ceil(recall * gtCount);
  while (hits > 0 && (hits - 1) / gtCount >= recall) --hits;
  while (hits / gtCount < recall) ++hits;
  return hits;
}

}  // namespace

void RankedHits::clear() {
  truePositives.clear();
  detections.clear();
}

void RankedHits::add(double truePositivesSoFar, double detectionsSoFar) {
  truePositives.push_back(truePositivesSoFar);
  detections.push_back(detectionsSoFar);
}

RecallCurve precisionAtRecalls(const RankedHits& hits, double gtCount) {
  const std::size_t count = hits.truePositives.size();
  RecallCurve needed;
  for (std::size_t r = 0; r < needed.size(); ++r) {
    needed[r] = hitsFor(kRecallThresholds[r], gtCount);
  }
  RecallCurve curve{};
  double best = 0;
  std::size_t r = needed.size(), hit = count;
  while (r > 0 && (count == 0 || hits.truePositives.back() < needed[r - 1])) --r;  // not reached
  while (r > 0) {  // from the end, with the best precision so far
    const bool isBefore = hit > 0 && hits.truePositives[hit - 1] >= needed[r - 1];
    if (!isBefore) {
      curve[--r] = best;
      continue;
    }
    --hit;
    best = std::max(best, hits.truePositives[hit] / (hits.detections[hit] + kSpacing));
  }
  return curve;
}

double meanPrecision(std::span<const RecallCurve> curves) {
  if (curves.empty()) return -1;
  std::vector<double> values;
  values.reserve(curves.size() * kRecallThresholds.size());
  for (std::size_t r = 0; r < kRecallThresholds.size(); ++r) {
    for (const RecallCurve& curve : curves) values.push_back(curve[r]);
  }
  return pairwiseMean(values);
}

}  // namespace lockstep::coco
