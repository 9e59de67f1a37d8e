#include "engine/model/roi_pooler.h"

#include <torch/types.h>

namespace lockstep::model {
namespace {

constexpr int kFinestLevel = 2, kCoarsestLevel = 5;  // log2 of the strides
constexpr double kCanonicalLevel = 4, kCanonicalSidePx = 224;

/// Index of the level of each box [R,4], in torchvision's float32 arithmetic.
at::Tensor levelsOf(const at::Tensor& boxes) {
  const at::Tensor sides = boxes.slice(1, 2, 4) - boxes.slice(1, 0, 2);
  const at::Tensor side = (sides.select(1, 0) * sides.select(1, 1)).sqrt();
  const at::Tensor level = at::log2(side / kCanonicalSidePx) + kCanonicalLevel + 1e-6;
  return level.floor().clamp(kFinestLevel, kCoarsestLevel).to(at::kLong) - kFinestLevel;
}

/// [R,4] of each image -> [all,5] with the image's index before each box.
at::Tensor withImageIndex(const std::vector<at::Tensor>& boxes) {
  std::vector<at::Tensor> indices;
  for (std::size_t n = 0; n < boxes.size(); ++n) {
    indices.push_back(at::full({boxes[n].size(0), 1}, static_cast<double>(n), boxes[n].options()));
  }
  return at::cat({at::cat(indices), at::cat(boxes)}, 1);
}

}  // namespace

at::Tensor poolRegions(const std::vector<at::Tensor>& features,
                       const std::vector<at::Tensor>& boxes, const ops::RoiAlignShape& shape) {
  const std::vector<at::Tensor> levels(features.begin(), features.begin() + 4);
  const at::Tensor rois = withImageIndex(boxes).detach();
  return ops::roiAlignPyramid(levels, {1.0 / 4, 1.0 / 8, 1.0 / 16, 1.0 / 32}, rois,
                              levelsOf(rois.slice(1, 1, 5)), shape);
}

}  // namespace lockstep::model
