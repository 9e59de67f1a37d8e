#pragma once

#include <vector>

#include "engine/coco/analysis/overlap_set.h"
#include "engine/coco/evaluation/precision_at_recalls.h"

/// Precision against recall at one IoU threshold.
namespace lockstep::coco {

/// Figures of the score threshold `score`: detections that score as much or more.
struct CurvePoint {
  double score = 0, precision = 0, recall = 0;
};

struct PrecisionRecallCurve {
  /// By falling score, one for each score at which recall rises; between two of them only precision
  /// falls. Detections of equal score stand or fall together, as at a threshold. Empty without
  /// objects.
  std::vector<CurvePoint> points;
  RecallCurve precision{};  ///< at COCO's 101 recalls; all -1: no objects
  double ap = -1;           ///< mean of `precision`
  double bestF1 = -1;       ///< over all score thresholds; -1: no objects
  double bestF1Score = 0;   ///< the highest threshold that gives it; of 0: nothing was found
};

struct PrecisionRecall {
  std::vector<PrecisionRecallCurve> classes;  ///< in the order of OverlapSet::categories()
  /// All detections in one list whatever their class: what one score threshold for all gives.
  PrecisionRecallCurve pooled;
  RecallCurve meanPrecision{};  ///< over the classes that have objects; all -1: none has
  double ap = -1;               ///< mean over classes and recalls: at 0.5 COCO's AP50
};

/// Any IoU threshold, not COCO's ten alone. Any thread; blocks for tenths of a second.
PrecisionRecall precisionRecall(const OverlapSet& set, double iouThreshold, int threads = 0);

}  // namespace lockstep::coco
