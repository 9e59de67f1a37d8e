#pragma once

#include <string>
#include <vector>

#include "engine/cli/nested_json.h"
#include "engine/coco/analysis/extra_metrics.h"

namespace lockstep::cli {

/// Members "id" and "name" of a class.
void writeClass(NestedJson& json, const coco::Category& category);

/// Members "pq", "f1", "aji", "counts" and "lvis" of the metrics that are there.
void writeExtraMetrics(NestedJson& json, const coco::ExtraMetrics& metrics,
                       const std::vector<coco::Category>& categories);

/// The same as tables, to be printed below COCO's.
std::string extraMetricsTable(const coco::ExtraMetrics& metrics,
                              const std::vector<coco::Category>& categories);

class Command;
/// --figures.
void addFiguresOption(Command& command, std::string& list);

/// Throws UserError for metrics of label maps if no object has a mask. `file`: the ground truth's.
void requireMasks(const coco::Dataset& groundTruth, const std::string& file,
                  const std::set<coco::ExtraMetric>& metrics);

/// `pq,f1`. Throws UserError for an unknown one.
std::set<coco::ExtraMetric> parseExtraMetrics(const std::string& list);

}  // namespace lockstep::cli
