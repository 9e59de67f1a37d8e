#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/model/detector_counts.h"

namespace lockstep::train {

/// What the event log has of model::DetectorCounts, of each step: `rpn/positives`, `rpn/recall`, …
/// A ratio without a denominator (no object, no mask) is left out. counts: sums over all images of
/// the step, in the order of DetectorCounts.
std::vector<std::pair<std::string, float>> detectorMetrics(
    const std::array<double, model::kDetectorCounts>& counts, double images);

}  // namespace lockstep::train
