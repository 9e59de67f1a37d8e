#pragma once

#include <optional>
#include <utility>

#include "engine/coco/analysis/bootstrap.h"
#include "engine/coco/analysis/error_types.h"
#include "engine/coco/analysis/operating_point.h"
#include "engine/coco/analysis/precision_recall.h"
#include "engine/coco/analysis/score_sweep.h"

namespace lockstep::coco {

struct AnalysisOptions {
  double iouThreshold = .5;
  std::optional<double> scoreThreshold;  ///< none: that of the best F1 of all classes together
};

/// Everything beyond AP that is said of a results file: computed once, for whoever shows it.
struct Analysis {
  explicit Analysis(OverlapSet set) : overlaps(std::move(set)) {}

  OverlapSet overlaps;
  double iouThreshold = .5, scoreThreshold = 0;
  bool isAtBestF1 = false;  ///< nobody gave the score threshold
  ApUncertainty uncertainty;
  PrecisionRecall curves;              ///< at the IoU threshold
  std::vector<CountsAtScore> byScore;  ///< at the IoU threshold
  OperatingPoint point;                ///< at both thresholds
  ErrorCosts errors;                   ///< at the IoU threshold
};

/// `overlaps` and `results` are of the same results file and type.
Analysis analyse(OverlapSet overlaps, const WeighedAp& results,
                 const AnalysisOptions& options = {});

}  // namespace lockstep::coco
