#pragma once

#include <vector>

#include "engine/coco/analysis/operating_point.h"

namespace lockstep::coco {

struct CountsAtScore {
  double score = 0;  ///< threshold
  Counts counts;
};

/// operatingPoint().all at 101 evenly spaced score thresholds from 0 to 1, or from the lowest to
/// the highest score if any lies outside; computed in one pass.
std::vector<CountsAtScore> sweepScores(const OverlapSet& set, double iouThreshold, int threads = 0);

}  // namespace lockstep::coco
