#pragma once

#include "engine/ops/matching.h"
#include "engine/structures/ground_truth.h"

namespace lockstep::ops {

/// matchBoxes of CUDA tensors, arguments already checked; only in programs built with
/// LOCKSTEP_CUDA. Keeps no matrix of overlaps.
at::Tensor matchBoxesCuda(const structures::GtBatch& groundTruth, const at::Tensor& candidates,
                          const MatchThresholds& thresholds);

}  // namespace lockstep::ops
