#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Letters: N images, C channels, K RoIs, L FPN levels.
namespace lockstep::ops {

struct RoiAlignShape {
  std::int64_t height = 7, width = 7;  ///< bins
  std::int64_t samplingRatio =
      2;  ///< sample points per bin and axis; <= 0: adaptive, as many as feature pixels per bin
};

/// RoIAlign (Mask R-CNN, section 3) as torchvision's `roi_align(aligned=False)`: no half-pixel
/// shift, an RoI is at least 1 x 1 feature pixels, the mean of bilinear samples, 0 for samples more
/// than one pixel outside the map.
///
/// features [N,C,H,W] float, contiguous or channels_last; rois [K,5] float32 (image index, x1, y1,
/// x2, y2 in px of the image), spatialScale from image to feature pixels -> [K,C,height,width] in
/// the memory format of `features`. Differentiable in `features`. Multi-threaded; the backward pass
/// sums over the RoIs in their order, whatever the number of threads, so that gradients are
/// deterministic.
at::Tensor roiAlign(const at::Tensor& features, const at::Tensor& rois, double spatialScale,
                    const RoiAlignShape& shape);

inline constexpr std::int64_t kNoLevel = -1;

/// Multi-level RoIAlign: RoI k samples features[levels[k]] with spatialScales[levels[k]]. levels
/// [K] int64; all levels have the same N and C; kNoLevel: padding, its output is 0 at no cost.
/// Writes one output for all levels, without gather or scatter.
at::Tensor roiAlignPyramid(const std::vector<at::Tensor>& features,
                           const std::vector<double>& spatialScales, const at::Tensor& rois,
                           const at::Tensor& levels, const RoiAlignShape& shape);

/// RoIs that are pooled to one size; as the arguments of roiAlignPyramid.
struct RoiSet {
  at::Tensor rois;    ///< [K,5]
  at::Tensor levels;  ///< [K]
  RoiAlignShape shape;
};

inline constexpr std::size_t kMostRoiSets = 2;  ///< a box head's and a mask head's

/// roiAlignPyramid for several sets of RoIs (at most kMostRoiSets) in one autograd node: the
/// backward pass computes one gradient per level, accumulated over the RoIs of all sets in their
/// order, instead of one per set and their sum.
std::vector<at::Tensor> roiAlignSets(const std::vector<at::Tensor>& features,
                                     const std::vector<double>& spatialScales,
                                     const std::vector<RoiSet>& sets);

/// The output gradient of a set of RoIs.
struct RoiSetGrad {
  RoiSet set;
  at::Tensor gradOut;  ///< [K,C,height,width]
};

/// Kernels, for contiguous rois and levels; the CPU kernels take float32 and float64. Backward:
/// gradients of the levels, with sizes [N,C,H,W] in `sizes`, of at least one set; each element is
/// accumulated by one thread, set by set and RoI by RoI, so that it is deterministic.
using RoiAlignKernel = std::vector<at::Tensor>(at::TensorList features,
                                               const std::vector<double>& spatialScales,
                                               const std::vector<RoiSet>& sets);
using RoiAlignBackwardKernel = std::vector<at::Tensor>(
    const std::vector<RoiSetGrad>& sets, const std::vector<double>& spatialScales,
    const std::vector<std::vector<std::int64_t>>& sizes);
namespace cpu {
RoiAlignKernel roiAlign;
RoiAlignBackwardKernel roiAlignBackward;
}  // namespace cpu
namespace cuda {
RoiAlignKernel roiAlign;
RoiAlignBackwardKernel roiAlignBackward;
}  // namespace cuda

}  // namespace lockstep::ops
