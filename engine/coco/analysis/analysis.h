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
  std::optional<double> scoreThreshold;  ///< none: the one with the best F1 over all classes
};

/// The analysis of a results file beyond AP, computed once for tables, JSON and the report.
struct Analysis {
  explicit Analysis(OverlapSet set) : overlaps(std::move(set)) {}

  OverlapSet overlaps;
  double iouThreshold = .5, scoreThreshold = 0;
  bool isAtBestF1 = false;  ///< the score threshold was not given
  ApUncertainty uncertainty;
  PrecisionRecall curves;              ///< at the IoU threshold
  std::vector<CountsAtScore> byScore;  ///< at the IoU threshold
  OperatingPoint operatingPoint;       ///< at both thresholds
  ErrorCosts errors;                   ///< at the IoU threshold
};

/// `overlaps` and `results` must be from the same results file and IoU type.
Analysis analyse(OverlapSet overlaps, const WeightedAp& results,
                 const AnalysisOptions& options = {});

}  // namespace lockstep::coco
