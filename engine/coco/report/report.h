#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/coco/analysis/analysis.h"
#include "engine/coco/analysis/extra_metrics.h"
#include "engine/coco/analysis/results_comparison.h"

namespace lockstep::coco {

/// The input of a report. References must outlive it.
struct ReportSource {
  std::string groundTruthName, resultsName;  ///< file names as the user gave them
  IouType type = IouType::Box;
  const Dataset& groundTruth;
  const ResultsFile& results;
  const AveragePrecision& figures;
  const Analysis& analysis;
  const ResultsComparison* comparison = nullptr;  ///< nullptr: none
  const ExtraMetrics* extra = nullptr;            ///< nullptr: none
  std::filesystem::path imagesFolder;             ///< empty: outlines on a plain background
  /// What changes Params::maxDetections.
  std::string maxDetectionsSetting = kMaxDetectionsKey;
};

struct Report {
  std::string html;
  /// Images that could not be embedded: file name and reason.
  std::vector<std::string> missingImages;
};

/// A self-contained HTML page without scripts, for light and dark screens and for print; it is also
/// well-formed XML. Throws Error as ResultsFile::detectionsOf() does.
Report makeReport(const ReportSource& source);

}  // namespace lockstep::coco
