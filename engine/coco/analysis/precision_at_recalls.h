#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/coco/evaluation/iou_thresholds.h"

namespace lockstep::coco {

using RecallCurve = std::array<double, kRecallThresholds.size()>;

/// Detections ranked by falling score, of which true positives alone are kept: after each of them,
/// true positives so far and detections so far that count. Whole numbers, or sums of whole weights.
struct RankedHits {
  std::vector<double> truePositives, detections;

  void clear();
  /// Both sums count this hit.
  void add(double truePositivesSoFar, double detectionsSoFar);
};

/// COCO's precision at each of its 101 recalls: the best at that recall or any higher one, 0 where
/// it is not reached; to the last bit pycocotools'. gtCount is a whole number > 0.
RecallCurve precisionAtRecalls(const RankedHits& hits, double gtCount);

/// The mean over 101 recalls and all curves, in numpy's order of summing. -1: no curve.
double meanPrecision(std::span<const RecallCurve> curves);

}  // namespace lockstep::coco
