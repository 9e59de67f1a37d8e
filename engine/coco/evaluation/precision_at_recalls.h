#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/coco/evaluation/params.h"

namespace lockstep::coco {

/// Values at each recall threshold.
using RecallCurve = std::array<double, kRecallThresholds.size()>;

/// A true positive of detections ranked by falling score: true positives and detections that count
/// up to it and with it. Whole numbers, or sums of whole weights.
struct RankedHit {
  double truePositives, detections;
};
/// In rising order. Only true positives change a recall, so precision is asked for at those alone;
/// what pycocotools reads off its longer lists is the same number.
using RankedHits = std::vector<RankedHit>;

/// The fewest true positives that reach each recall of gtCount objects, as pycocotools divides.
/// gtCount is a whole number > 0.
RecallCurve hitsNeeded(double gtCount);

/// COCO's precision at each of its 101 recalls: the best at that recall or any higher one, 0 where
/// it is not reached; to the last bit pycocotools'.
RecallCurve precisionAtRecalls(std::span<const RankedHit> hits, const RecallCurve& needed);
inline RecallCurve precisionAtRecalls(std::span<const RankedHit> hits, double gtCount) {
  return precisionAtRecalls(hits, hitsNeeded(gtCount));
}

/// The mean over 101 recalls and all curves, in numpy's order of summing. -1: no curve.
double meanPrecision(std::span<const RecallCurve> curves);

}  // namespace lockstep::coco
