#pragma once

#include <ATen/core/Tensor.h>

#include "engine/ops/match_labels.h"
#include "engine/structures/ground_truth.h"

/// Letters: N images, G ground-truth boxes, A anchors or proposals.
namespace lockstep::ops {

struct MatchThresholds {
  double foreground = 0.5;  ///< IoU from which a box is matched
  double background = 0.5;  ///< IoU below which a box is background
  /// torchvision's allow_low_quality_matches: also matches the boxes that have the highest IoU with
  /// some ground truth (including ties), to their own best ground truth. As in torchvision, a
  /// ground truth that overlaps no box ties with every box.
  bool lowQualityMatches = false;
};

/// As torchvision's Matcher: for each candidate the index of the object with the highest IoU in its
/// image, ties to the first, or kBelowThreshold or kBetweenThresholds -> [N,A] int64. candidates
/// [N,A,4], or [A,4] if they are the same for all images; groundTruth of N images, which may be
/// without objects.
at::Tensor matchBoxes(const structures::GtBatch& groundTruth, const at::Tensor& candidates,
                      const MatchThresholds& thresholds);

/// For each object the highest IoU of a candidate of its image, 0 for padding -> [N,G] float32.
/// Arguments as for matchBoxes; candidates without area overlap nothing.
at::Tensor bestOverlaps(const structures::GtBatch& groundTruth, const at::Tensor& candidates);

/// Kernels, which do not store the IoU matrix.
using MatchBoxesKernel = at::Tensor(const structures::GtBatch& groundTruth,
                                    const at::Tensor& candidates,
                                    const MatchThresholds& thresholds);
using BestOverlapsKernel = at::Tensor(const structures::GtBatch& groundTruth,
                                      const at::Tensor& candidates);
namespace cpu {
MatchBoxesKernel matchBoxes;
BestOverlapsKernel bestOverlaps;
}  // namespace cpu
namespace cuda {
MatchBoxesKernel matchBoxes;
BestOverlapsKernel bestOverlaps;
}  // namespace cuda

}  // namespace lockstep::ops
