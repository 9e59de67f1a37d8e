#pragma once

#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::cli {

struct AnnotationIssue {
  bool isError = false;  ///< most objects have it; else training goes on, as torchvision's would
  std::string text;
};

/// What is doubtful in the annotations and classes of one part of the data, each with its count and
/// the first ids.
std::vector<AnnotationIssue> annotationIssues(const coco::Dataset& dataset);

}  // namespace lockstep::cli
