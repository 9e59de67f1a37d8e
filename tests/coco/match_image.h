#pragma once

#include <vector>

#include "engine/coco/evaluation/average_precision.h"

namespace lockstep::tests {

/// InstanceMatches with indices into the given lists.
struct ImageMatch {
  /// Index of the matched annotation, which may be a crowd (then it is ignored); -1: false
  /// positive; -2: below the score threshold, or over the limit of its class.
  std::vector<int> gtOfDetection;
  /// IoU with the matched annotation, else the highest of its class.
  std::vector<double> iouOfDetection;
  /// Index of the matched detection; -1: false negative; -2: crowd, ignored.
  std::vector<int> detectionOfGt;
};

/// Matches one image with InstanceMatcher at one score and one IoU threshold.
ImageMatch matchImage(const coco::Image& image, const std::vector<coco::Annotation>& annotations,
                      const std::vector<coco::Detection>& detections, coco::IouType type,
                      double scoreThreshold, double iouThreshold, const coco::Params& params = {});

}  // namespace lockstep::tests
