#pragma once

#include <optional>
#include <vector>

#include "engine/coco/analysis/error_types.h"

namespace lockstep::coco {

/// What became of a detection at an operating point.
struct JudgedDetection {
  std::uint32_t detection = 0;  ///< in ImageOverlaps
  DetectionMatch match;
  std::optional<ErrorType> error;  ///< of a false positive
};

/// One image at an operating point.
struct JudgedImage {
  std::vector<JudgedDetection> detections;  ///< that reach the score threshold, by falling score
  std::vector<std::uint32_t> missed;        ///< every annotation that counts and was not found
};

JudgedImage judgeImage(const ImageOverlaps& image, double scoreThreshold, double iouThreshold);

}  // namespace lockstep::coco
