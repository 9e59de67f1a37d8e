#pragma once

#include <vector>

#include "engine/coco/analysis/overlap_set.h"
#include "engine/coco/evaluation/precision_at_recalls.h"

/// Precision against recall at one IoU threshold.
namespace lockstep::coco {

/// Precision and recall of the detections with a score >= `score`.
struct CurvePoint {
  double score = 0, precision = 0, recall = 0;
};

struct PrecisionRecallCurve {
  /// By falling score, one point for each score at which recall rises; between two points only
  /// precision falls. Detections of equal score form one point, as with a threshold. Empty without
  /// objects.
  std::vector<CurvePoint> points;
  RecallCurve precision{};  ///< at COCO's 101 recalls; all -1: no objects
  double ap = -1;           ///< mean of `precision`
  double bestF1 = -1;       ///< over all score thresholds; -1: no objects
  double bestF1Score = 0;   ///< the highest threshold with the best F1
};

struct PrecisionRecall {
  std::vector<PrecisionRecallCurve> classes;  ///< in the order of OverlapSet::categories()
  /// All classes pooled in one list: the effect of one score threshold for all classes.
  PrecisionRecallCurve pooled;
  RecallCurve meanPrecision{};  ///< over the classes that have objects; all -1: none
  double ap = -1;               ///< mean over classes and recalls: at 0.5 COCO's AP50
};

/// For any IoU threshold, not only COCO's ten. Any thread; takes tenths of a second.
PrecisionRecall precisionRecall(const OverlapSet& set, double iouThreshold, int threads = 0);

}  // namespace lockstep::coco
