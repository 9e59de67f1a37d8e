#pragma once

#include <optional>
#include <string>

#include "engine/coco/analysis/analysis.h"
#include "engine/coco/analysis/results_comparison.h"
#include "engine/coco/evaluation/precision_arrays.h"

namespace lockstep::cli {

/// What `coco-eval` found of a results file, for everything that shows it. What nobody asked for is
/// not there.
struct CocoEvaluation {
  std::string type;
  coco::AveragePrecision figures;
  std::optional<coco::PrecisionArrays> arrays;
  std::optional<coco::ResultsComparison> comparison;
  std::optional<coco::Analysis> analysis;
};

/// What `coco-eval` prints; the analysis, where it is there, if asked for.
std::string cocoEvalTable(const CocoEvaluation& evaluation, bool withAnalysis);

/// What `coco-eval --out` writes. withMatches: every image's instances too, for which the analysis
/// must be there.
std::string cocoEvalJson(const CocoEvaluation& evaluation, const coco::Dataset& groundTruth,
                         bool withMatches);

}  // namespace lockstep::cli
