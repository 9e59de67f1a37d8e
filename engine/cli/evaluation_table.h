#pragma once

#include <string>

#include "engine/protocol/jobs.h"

namespace lockstep::cli {

/// An evaluation as a human-readable table.
std::string evaluationTable(const protocol::EvaluateResult& evaluation);

/// One of COCO's twelve metrics, with four decimals; `-` for pycocotools' -1 (undefined).
std::string metricValueText(double value);

}  // namespace lockstep::cli
