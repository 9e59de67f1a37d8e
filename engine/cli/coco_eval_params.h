#pragma once

#include <string>
#include <vector>

#include "engine/coco/evaluation/params.h"
#include "engine/coco/files/category_selection.h"

namespace lockstep::cli {

class Command;

/// The items of an option's value, separated by commas.
std::vector<std::string> listItems(const std::string& text);

/// The option that sets Params::maxDetections.
inline constexpr const char* kMaxDetectionsOption = "--max-dets";

/// The options of `coco-eval` that set what is counted, as given; empty: COCO's.
struct CocoEvalParamOptions {
  std::string maxDetections, areas, iouThresholds, categories;
  bool isClassAgnostic = false, isPycocotoolsExact = false;
};
void addParamOptions(Command& command, CocoEvalParamOptions& options);
/// `--pycocotools-exact`, which sets Params::pycocotoolsExact.
void addPycocotoolsExactFlag(Command& command, bool& isExact);

/// Throws UserError naming the option and what it should be.
coco::Params paramsOf(const CocoEvalParamOptions& options);

/// Categories may be given by id or name. Throws UserError for an unknown one.
coco::CategorySelection selectionOf(const CocoEvalParamOptions& options,
                                    const coco::Dataset& groundTruth);

}  // namespace lockstep::cli
