#include "engine/coco/evaluation/precision_at_recalls.h"

#include <algorithm>
#include <cmath>

#include "engine/coco/evaluation/pairwise_mean.h"

namespace lockstep::coco {
namespace {

constexpr double kSpacing = 0x1.0p-52;  // numpy's spacing(1), which pycocotools adds

/// By recall, then by curve.
void append(std::span<const RecallCurve> curves, std::vector<double>& values) {
  for (std::size_t r = 0; r < kRecallThresholds.size(); ++r)
    for (const RecallCurve& curve : curves) values.push_back(curve[r]);
}

}  // namespace

RecallCurve hitsNeeded(double gtCount) {
  RecallCurve needed;
  for (std::size_t r = 0; r < needed.size(); ++r) {
    const double recall = kRecallThresholds[r];
    double hits = std::ceil(recall * gtCount);  // may be off by one due to rounding
    while (hits > 0 && (hits - 1) / gtCount >= recall) --hits;
    while (hits / gtCount < recall) ++hits;
    needed[r] = hits;
  }
  return needed;
}

RecallCurve precisionAtRecalls(std::span<const RankedHit> hits, const RecallCurve& needed) {
  RecallCurve curve;
  double best = 0;  // from this hit on
  std::size_t r = curve.size();
  for (std::size_t i = hits.size(); i-- > 0;) {
    while (r > 0 && hits[i].truePositives < needed[r - 1]) curve[--r] = best;
    best = std::max(best, hits[i].truePositives / (hits[i].detections + kSpacing));
  }
  while (r > 0) curve[--r] = best;
  return curve;
}

double meanPrecision(std::span<const RecallCurve> curves) {
  std::vector<double> values;
  values.reserve(curves.size() * kRecallThresholds.size());
  append(curves, values);
  return values.empty() ? -1 : pairwiseMean(values);
}

double meanPrecision(std::span<const std::vector<RecallCurve>> byThreshold) {
  std::vector<double> values;
  for (const std::vector<RecallCurve>& curves : byThreshold) append(curves, values);
  return values.empty() ? -1 : pairwiseMean(values);
}

}  // namespace lockstep::coco
