#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Letters: N images, C channels, K regions, L pyramid levels.
namespace lockstep::ops {

struct RoiAlignShape {
  std::int64_t height = 7, width = 7;  ///< bins
  std::int64_t samplingRatio =
      2;  ///< sample points per bin and side; <= 0: as many as the region has feature pixels
};

/// RoIAlign (Mask R-CNN, section 3) as torchvision's `roi_align(aligned=False)`: no half-pixel
/// shift, a region is at least 1 x 1 feature pixels, the mean of bilinear samples, 0 for samples
/// more than a pixel outside.
///
/// features [N,C,H,W] float, contiguous or channels_last; rois [K,5] float32 (image index, x1, y1,
/// x2, y2 in px of the image), spatialScale from image to feature pixels -> [K,C,height,width] in
/// the memory format of `features`. Differentiable in `features`. Multi-threaded; each sum of the
/// backward pass runs over the regions in their order, whatever the number of threads, so that
/// gradients have the same bits.
at::Tensor roiAlign(const at::Tensor& features, const at::Tensor& rois, double spatialScale,
                    const RoiAlignShape& shape);

inline constexpr std::int64_t kNoLevel = -1;

/// RoIAlign on a pyramid: region k samples features[levels[k]] with spatialScales[levels[k]].
/// levels [K] int64, all levels of the same N and C; kNoLevel: the region is not there, its output
/// is 0 and costs nothing. One output for all levels, nothing is gathered or scattered between
/// them.
at::Tensor roiAlignPyramid(const std::vector<at::Tensor>& features,
                           const std::vector<double>& spatialScales, const at::Tensor& rois,
                           const at::Tensor& levels, const RoiAlignShape& shape);

/// Regions that are pooled to one size. As roiAlignPyramid's arguments.
struct RoiSet {
  at::Tensor rois;    ///< [K,5]
  at::Tensor levels;  ///< [K]
  RoiAlignShape shape;
};

inline constexpr std::size_t kMostRoiSets = 2;  ///< a box head's and a mask head's

/// roiAlignPyramid of several sets of regions, at most kMostRoiSets, in one node of the graph: the
/// backward pass makes one gradient of each level, to which the regions of all sets are added in
/// their order, where separate nodes would make one each and a sum.
std::vector<at::Tensor> roiAlignSets(const std::vector<at::Tensor>& features,
                                     const std::vector<double>& spatialScales,
                                     const std::vector<RoiSet>& sets);

/// The gradient that comes back to a set of regions.
struct RoiSetGrad {
  RoiSet set;
  at::Tensor gradOut;  ///< [K,C,height,width]
};

/// Kernels, of contiguous rois and levels; the CPU's of float32 and float64. Backward: gradients of
/// the levels, whose sizes [N,C,H,W] are `sizes`, of at least one set; each element is added up by
/// one thread, set after set and region after region: the same bits every time.
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
