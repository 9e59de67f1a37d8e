#pragma once

#include <string>

#include "engine/cli/coco_evaluation.h"

namespace lockstep::cli {

/// What `coco-eval --out` writes. withMatches: every image's instances too, for which the analysis
/// must be there.
std::string cocoEvalJson(const CocoEvaluation& evaluation, const coco::Dataset& groundTruth,
                         bool withMatches);

}  // namespace lockstep::cli
