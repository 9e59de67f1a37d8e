#pragma once

#include <string>

#include "engine/protocol/jobs.h"

namespace lockstep::cli {

/// An evaluation as a table for people.
std::string evaluationTable(const protocol::EvaluateResult& evaluation);

/// COCO's twelve figures in pycocotools' words; `values` as printed, -1 where nothing can be said.
std::string figureText(double value);

}  // namespace lockstep::cli
