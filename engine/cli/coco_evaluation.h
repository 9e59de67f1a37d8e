#pragma once

#include <optional>
#include <string>

#include "engine/coco/analysis/analysis.h"
#include "engine/coco/analysis/results_comparison.h"
#include "engine/coco/evaluation/precision_arrays.h"

namespace lockstep::cli {

/// The result of `coco-eval`, from which table, JSON and report are made. What was not asked for is
/// empty.
struct CocoEvaluation {
  std::string type;
  coco::AveragePrecision metrics;
  std::optional<coco::PrecisionArrays> arrays;
  std::optional<coco::ResultsComparison> comparison;
  std::optional<coco::Analysis> analysis;
};

/// What `coco-eval` prints. withAnalysis: the analysis too, which must be there.
std::string cocoEvalTable(const CocoEvaluation& evaluation, bool withAnalysis);

/// What `coco-eval --out` writes. withMatches: the matches of every image too, which need the
/// analysis.
std::string cocoEvalJson(const CocoEvaluation& evaluation, const coco::Dataset& groundTruth,
                         bool withMatches);

}  // namespace lockstep::cli
