#pragma once

#include <optional>
#include <vector>

#include "engine/coco/analysis/error_types.h"

namespace lockstep::coco {

/// A detection at an operating point: its match and, for a false positive, its error type.
struct EvaluatedDetection {
  std::uint32_t detection = 0;  ///< in ImageOverlaps
  DetectionMatch match;
  std::optional<ErrorType> error;  ///< for a false positive
};

/// One image at an operating point.
struct EvaluatedImage {
  std::vector<EvaluatedDetection> detections;  ///< score >= threshold, by falling score
  std::vector<std::uint32_t> missed;           ///< false negatives: indices of annotations
  std::vector<std::uint32_t> uncovered;        ///< of these, those of ErrorType::Missed
};

EvaluatedImage evaluateImage(const ImageOverlaps& image, double scoreThreshold,
                             double iouThreshold);

}  // namespace lockstep::coco
