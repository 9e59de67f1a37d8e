#include "engine/coco/analysis/precision_at_recalls.h"

#include <algorithm>

#include "engine/coco/evaluation/pairwise_mean.h"

namespace lockstep::coco {
namespace {

constexpr double kSpacing = 0x1.0p-52;  // numpy's spacing(1), which pycocotools adds

}  // namespace

void RankedHits::clear() {
  truePositives.clear();
  precision.clear();
}

void RankedHits::add(double truePositivesSoFar, double detectionsSoFar) {
  truePositives.push_back(truePositivesSoFar);
  precision.push_back(truePositivesSoFar / (detectionsSoFar + kSpacing));
}

RecallCurve precisionAtRecalls(RankedHits& hits, double gtCount) {
  std::vector<double>& precision = hits.precision;
  for (std::size_t i = precision.size(); i-- > 1;) {
    precision[i - 1] = std::max(precision[i - 1], precision[i]);
  }
  RecallCurve curve{};
  std::size_t reached = 0;
  for (std::size_t r = 0; r < curve.size(); ++r) {
    while (reached < precision.size() &&
           hits.truePositives[reached] / gtCount < kRecallThresholds[r]) {
      ++reached;
    }
    if (reached == precision.size()) break;
    curve[r] = precision[reached];
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
