#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lockstep::cli {

/// An evaluation's JSON (as `evaluate --out`) as a table for people.
std::string evaluationTable(const std::string& json);

/// What of an evaluation lies past the limits of AP, as a line; "" where nothing does.
std::string pastLimitLine(const nlohmann::json& evaluation);

/// COCO's twelve figures in pycocotools' words; `values` as printed, -1 where nothing can be said.
std::string figureText(double value);

}  // namespace lockstep::cli
