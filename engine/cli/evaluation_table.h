#pragma once

#include <string>

namespace lockstep::cli {

/// An evaluation's JSON (as `evaluate --out`) as a table for people.
std::string evaluationTable(const std::string& json);

/// COCO's twelve figures in pycocotools' words; `values` as printed, -1 where nothing can be said.
std::string figureText(double value);

}  // namespace lockstep::cli
