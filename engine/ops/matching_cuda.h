#pragma once

#include "engine/ops/matching.h"

namespace lockstep::ops {

/// matchBoxes of CUDA tensors, arguments already checked; only in programs built with
/// LOCKSTEP_CUDA. Keeps no matrix of overlaps.
at::Tensor matchBoxesCuda(const GtBatch& groundTruth, const at::Tensor& candidates,
                          const MatchThresholds& thresholds);

}  // namespace lockstep::ops
