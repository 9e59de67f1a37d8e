#include "engine/model/roi_pooler.h"

#include <torch/types.h>

#include <bit>

#include "engine/config/pyramid.h"

namespace lockstep::model {
namespace {

/// log2 of the strides.
constexpr int kFinestLevel = std::countr_zero(unsigned{config::kPyramidStrides.front()});
constexpr int kCoarsestLevel = std::countr_zero(unsigned{config::kSizeDivisor});
constexpr double kCanonicalLevel = 4, kCanonicalSidePx = 224;

/// Index of the level of each box [R,4], in torchvision's float32 arithmetic.
at::Tensor levelsOf(const at::Tensor& boxes) {
  const at::Tensor sides = boxes.slice(1, 2, 4) - boxes.slice(1, 0, 2);
  const at::Tensor side = (sides.select(1, 0) * sides.select(1, 1)).sqrt();
  const at::Tensor level = at::log2(side / kCanonicalSidePx) + kCanonicalLevel + 1e-6;
  return level.floor().clamp(kFinestLevel, kCoarsestLevel).to(at::kLong) - kFinestLevel;
}

ops::RoiSet setOf(const PoolingRows& head) {
  const at::Tensor rois =
      at::cat({head.rows.images().to(head.boxes.scalar_type()).unsqueeze(1), head.boxes}, 1)
          .detach();
  const at::Tensor levels =
      levelsOf(rois.slice(1, 1, 5)).masked_fill(head.rows.isThere().logical_not(), ops::kNoLevel);
  return {rois, levels, head.shape};
}

}  // namespace

std::vector<at::Tensor> poolRegions(const std::vector<at::Tensor>& features,
                                    const std::vector<PoolingRows>& heads) {
  const std::vector<at::Tensor> levels(features.begin(),
                                       features.begin() + config::kBackboneStages);
  std::vector<double> scales;
  for (std::size_t level = 0; level < levels.size(); ++level)
    scales.push_back(1.0 / config::kPyramidStrides[level]);
  std::vector<ops::RoiSet> sets;
  for (const PoolingRows& head : heads) sets.push_back(setOf(head));
  return ops::roiAlignSets(levels, scales, sets);
}

}  // namespace lockstep::model
