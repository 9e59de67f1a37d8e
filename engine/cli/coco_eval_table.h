#pragma once

#include <string>

#include "engine/cli/coco_evaluation.h"

namespace lockstep::cli {

/// What `coco-eval` prints; the analysis, where it is there, if asked for.
std::string cocoEvalTable(const CocoEvaluation& evaluation, bool withAnalysis);

}  // namespace lockstep::cli
