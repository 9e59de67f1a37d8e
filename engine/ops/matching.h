#pragma once

#include <ATen/core/Tensor.h>

/// Letters: G ground-truth boxes, A anchors or proposals.
namespace lockstep::ops {

/// What `matchBoxes` gives instead of an index of a ground-truth box.
inline constexpr std::int64_t kBelowThreshold = -1;
inline constexpr std::int64_t kBetweenThresholds = -2;

struct MatchThresholds {
  double foreground = 0.5;  ///< IoU from which a box is matched
  double background = 0.5;  ///< IoU below which a box is background
  /// Also match the boxes that no other box exceeds in IoU with some ground truth (ties included),
  /// to their own best ground truth. As in torchvision a ground truth that overlaps nothing ties
  /// with every box it does not overlap.
  bool lowQualityMatches = false;
};

/// For each of candidates [A,4] the index of the ground truth in gtBoxes [G,4] (G may be 0) with
/// the highest IoU, the first of equals, or kBelowThreshold or kBetweenThresholds -> [A] int64.
at::Tensor matchBoxes(const at::Tensor& gtBoxes, const at::Tensor& candidates,
                      const MatchThresholds& thresholds);

}  // namespace lockstep::ops
