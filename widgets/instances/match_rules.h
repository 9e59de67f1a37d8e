#pragma once

#include <array>
#include <cstddef>

#include "engine/coco/evaluation/average_precision.h"

namespace lockstep::widgets {

/// How detections are matched with the objects, whatever is detected.
struct MatchRules {
  coco::IouType type = coco::IouType::Mask;
  /// Of a class and image that count, highest scores first (evaluation.max_dets).
  std::array<std::size_t, 3> maxDetections = coco::Params().maxDetections;
  bool hasTruth = true;  ///< false: nobody has annotated the images, so that nothing is judged

  bool operator==(const MatchRules&) const = default;
  std::size_t mostDetections() const { return maxDetections.back(); }
  coco::Params params() const;
  /// The same for results that may have no masks, by coco::judgedBy().
  MatchRules forResults(bool haveMasks) const;
};

/// For two results that are compared, in any order: by masks if both are, with the higher one of
/// each limit.
MatchRules commonRules(const MatchRules& first, const MatchRules& second);

}  // namespace lockstep::widgets
