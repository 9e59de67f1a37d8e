#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "engine/cli/output_path.h"
#include "engine/coco/analysis/analysis.h"
#include "engine/coco/analysis/extra_metrics.h"
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
  std::optional<coco::ExtraMetrics> extra;
};

/// What to compute of a results file.
struct ResultsRequest {
  std::string type;  ///< bbox | segm | boundary
  coco::Params params{};
  bool withArrays = false, withAnalysis = false;
  std::set<coco::ExtraMetric> extra{};
  std::optional<double> scoreThreshold{}, iouThreshold{};  ///< none: of the best F1, 0.5
};

/// Of bbox, segm or boundary.
coco::IouType iouTypeOf(const std::string& name);

/// `compared` nullptr: no other results. Their name and that of `results` are for the comparison.
struct ComparedResults {
  std::string nameA, nameB;
  const coco::ResultsFile& results;
};
CocoEvaluation evaluateResults(const coco::Dataset& groundTruth, const coco::ResultsFile& results,
                               const ResultsRequest& request,
                               const ComparedResults* compared = nullptr);

/// What a report says of its sources.
struct ReportNames {
  std::string groundTruth, results;
  std::filesystem::path imagesFolder;  ///< empty: none
  std::string maxDetectionsSetting;
};
/// `evaluation` must have the analysis. Warns of images that are missing.
void writeReport(const OutputFile& file, const ReportNames& names, const coco::Dataset& groundTruth,
                 const coco::ResultsFile& results, const CocoEvaluation& evaluation);

/// What `coco-eval` prints. withAnalysis: the analysis too, which must be there.
std::string cocoEvalTable(const CocoEvaluation& evaluation, const coco::Dataset& groundTruth,
                          bool withAnalysis);

/// What `coco-eval --out` writes. withMatches: the matches of every image too, which need the
/// analysis.
std::string cocoEvalJson(const CocoEvaluation& evaluation, const coco::Dataset& groundTruth,
                         bool withMatches);

}  // namespace lockstep::cli
