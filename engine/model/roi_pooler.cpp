#include "engine/model/roi_pooler.h"

#include <torch/types.h>

#include <bit>

namespace lockstep::model {
namespace {

constexpr double kCanonicalLevel = 4, kCanonicalSidePx = 224;

int log2Of(std::int64_t stride) {
  const auto bits = static_cast<std::uint64_t>(stride);
  TORCH_CHECK(std::has_single_bit(bits), "stride ", stride, " is not a power of two");
  return std::countr_zero(bits);
}

}  // namespace

RoiPooler::RoiPooler(const std::vector<std::int64_t>& strides)
    : finest_(log2Of(strides.front())), coarsest_(log2Of(strides.back())) {
  for (const std::int64_t stride : strides) scales_.push_back(1.0 / static_cast<double>(stride));
}

/// Index of the level of each box [R,4], with torchvision's float32 arithmetic.
at::Tensor RoiPooler::levelsOf(const at::Tensor& boxes) const {
  const at::Tensor sides = boxes.slice(1, 2, 4) - boxes.slice(1, 0, 2);
  const at::Tensor side = (sides.select(1, 0) * sides.select(1, 1)).sqrt();
  const at::Tensor level = at::log2(side / kCanonicalSidePx) + kCanonicalLevel + 1e-6;
  return level.floor().clamp(finest_, coarsest_).to(at::kLong) - finest_;
}

ops::RoiSet RoiPooler::setOf(const Regions& head) const {
  const at::Tensor rois =
      at::cat({head.rows.images().to(head.boxes.scalar_type()).unsqueeze(1), head.boxes}, 1)
          .detach();
  const at::Tensor levels =
      levelsOf(rois.slice(1, 1, 5)).masked_fill(head.rows.valid().logical_not(), ops::kNoLevel);
  return {rois, levels, head.shape};
}

std::vector<at::Tensor> RoiPooler::pool(const std::vector<at::Tensor>& features,
                                        const std::vector<Regions>& heads) const {
  const std::vector<at::Tensor> levels(
      features.begin(), features.begin() + static_cast<std::ptrdiff_t>(scales_.size()));
  std::vector<ops::RoiSet> sets;
  for (const Regions& head : heads) sets.push_back(setOf(head));
  return ops::roiAlignSets(levels, scales_, sets);
}

}  // namespace lockstep::model
