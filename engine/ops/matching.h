#pragma once

#include <ATen/core/Tensor.h>

#include "engine/ops/match_labels.h"
#include "engine/structures/ground_truth.h"

/// Letters: N images, G ground-truth boxes, A anchors or proposals.
namespace lockstep::ops {

struct MatchThresholds {
  double foreground = 0.5;  ///< IoU from which a box is matched
  double background = 0.5;  ///< IoU below which a box is background
  /// Also match the boxes that no other box exceeds in IoU with some ground truth (ties included),
  /// to their own best ground truth. As in torchvision a ground truth that overlaps nothing ties
  /// with every box it does not overlap.
  bool lowQualityMatches = false;
};

/// For each candidate the index of the object of its image with the highest IoU, the first of
/// equals, or kBelowThreshold or kBetweenThresholds -> [N,A] int64. candidates [N,A,4], or [A,4]
/// where they are the same for all images; groundTruth of N images, of which any may have no
/// object.
at::Tensor matchBoxes(const structures::GtBatch& groundTruth, const at::Tensor& candidates,
                      const MatchThresholds& thresholds);

/// Kernels, which keep no matrix of overlaps.
using MatchBoxesKernel = at::Tensor(const structures::GtBatch& groundTruth,
                                    const at::Tensor& candidates,
                                    const MatchThresholds& thresholds);
namespace cpu {
MatchBoxesKernel matchBoxes;
}
namespace cuda {
MatchBoxesKernel matchBoxes;
}

}  // namespace lockstep::ops
