#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/coco/evaluation/average_precision.h"
#include "engine/coco/files/results_file.h"

namespace lockstep::coco {

/// LVIS' limit of detections, per image over all categories.
inline constexpr std::size_t kLvisMaxDetections = 300;

struct LvisMetrics {
  AveragePrecision all;  ///< AR300: with the 300 highest-scoring detections of each image
  /// Means over the classes of a frequency that have objects; -1: none.
  double apRare = -1, apCommon = -1, apFrequent = -1;
  /// The frequencies are those of this ground truth, as it names none.
  bool hasCountedFrequencies = false;
};

/// Gupta et al., "LVIS: A Dataset for Large Vocabulary Instance Segmentation", CVPR 2019, equal to
/// lvis 0.5.3 (which counts results of unknown categories in its limit): of each image only the
/// detections count whose category is annotated in it or known not to be in it, and of categories
/// that are not exhaustively annotated only those that match. `params` without their limit of
/// detections. Throws Error as ResultsFile::detectionsOf().
LvisMetrics evaluateLvis(const Dataset& groundTruth, const ResultsFile& results, IouType type,
                         const Params& params = {}, int threads = 0);

/// In LVIS' order: AP of each size and then of each frequency, AR.
std::vector<std::pair<std::string, double>> namedMetrics(const LvisMetrics& metrics);

}  // namespace lockstep::coco
