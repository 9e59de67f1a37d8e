#pragma once

#include <cstddef>
#include <string>

#include "engine/protocol/jobs.h"

namespace lockstep::cli {

/// An evaluation as a human-readable table.
std::string evaluationTable(const protocol::EvaluateResult& evaluation);

/// One of COCO's twelve metrics, with four decimals; `-` for pycocotools' -1 (undefined).
std::string metricValueText(double value);

/// With spaces after it, to a width in characters: printf counts bytes.
std::string padded(std::string text, std::size_t width);

/// Tables list the classes of data sets that have at most so many.
inline constexpr std::size_t kMostListedClasses = 20;

}  // namespace lockstep::cli
