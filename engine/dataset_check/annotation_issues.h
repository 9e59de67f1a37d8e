#pragma once

#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::dataset_check {

struct AnnotationIssue {
  bool isError = false;  ///< most objects have it; else a warning: torchvision trains on it too
  std::string text;
};

/// Suspicious boxes, masks and class names in the annotations of one split, each with its count and
/// the first ids.
std::vector<AnnotationIssue> annotationIssues(const coco::Dataset& dataset);

}  // namespace lockstep::dataset_check
