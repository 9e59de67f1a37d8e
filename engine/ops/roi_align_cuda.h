#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/ops/roi_align.h"

namespace lockstep::ops {

/// The gradient that comes back to a set of regions.
struct RoiSlopes {
  RoiSet of;
  at::Tensor gradOut;  ///< [K,C,height,width]
};

/// RoIAlign of CUDA tensors; only in programs built with LOCKSTEP_CUDA. Arguments as
/// roiAlignSets', already checked; features of any floating type, rois and levels contiguous.
std::vector<at::Tensor> roiAlignForwardCuda(at::TensorList features,
                                            const std::vector<double>& spatialScales,
                                            const std::vector<RoiSet>& sets);

/// Gradients of the levels, whose sizes [N,C,H,W] are `sizes`, of at least one set. Each element is
/// added up by one thread, set after set and region after region: the same bits every time.
std::vector<at::Tensor> roiAlignBackwardCuda(const std::vector<RoiSlopes>& sets,
                                             const std::vector<double>& spatialScales,
                                             const std::vector<std::vector<std::int64_t>>& sizes);

}  // namespace lockstep::ops
