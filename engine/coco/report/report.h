#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/coco/analysis/analysis.h"
#include "engine/coco/analysis/results_comparison.h"

namespace lockstep::coco {

/// What a report is made of; everything outlives it.
struct ReportSource {
  std::string groundTruthName, resultsName;  ///< as people know the files
  IouType type = IouType::Box;
  const Dataset& groundTruth;
  const ResultsFile& results;
  const AveragePrecision& figures;
  const Analysis& analysis;
  const ResultsComparison* comparison = nullptr;  ///< nullptr: none
  std::filesystem::path imagesFolder;             ///< empty: outlines alone, on a plain ground
};

struct Report {
  std::string html;
  /// Of images that should be in it and are not: their names and why.
  std::vector<std::string> missingImages;
};

/// One page that needs no other file, no network and no script, for light and dark screens and for
/// paper; well-formed XML too. Throws Error as ResultsFile::detectionsOf() does.
Report makeReport(const ReportSource& source);

}  // namespace lockstep::coco
