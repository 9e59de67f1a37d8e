#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/ops/roi_align.h"

/// RoIAlign of CUDA tensors; only in programs built with LOCKSTEP_CUDA. Arguments as
/// roiAlignPyramid's, already checked; features of any floating type, rois and levels contiguous.
namespace lockstep::ops {

at::Tensor roiAlignForwardCuda(at::TensorList features, const at::Tensor& rois,
                               const at::Tensor& levels, const std::vector<double>& spatialScales,
                               const RoiAlignShape& shape);

/// Gradients of the levels, whose sizes [N,C,H,W] are `sizes`. Each element is added up by one
/// thread, region after region: the same bits every time.
std::vector<at::Tensor> roiAlignBackwardCuda(const at::Tensor& gradOut,
                                             const std::vector<std::vector<std::int64_t>>& sizes,
                                             const at::Tensor& rois, const at::Tensor& levels,
                                             const std::vector<double>& spatialScales,
                                             const RoiAlignShape& shape);

}  // namespace lockstep::ops
