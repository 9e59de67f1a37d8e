#include "engine/structures/boxes.h"

#include <ATen/ATen.h>

#include "engine/structures/tensor_block.h"

namespace lockstep::structures {
namespace {

at::Tensor column(const at::Tensor& boxes, std::int64_t index) { return boxes.select(-1, index); }
at::Tensor upper(const at::Tensor& boxes) { return boxes.slice(-1, 0, 2); }
at::Tensor lower(const at::Tensor& boxes) { return boxes.slice(-1, 2, 4); }

at::Tensor areas(const at::Tensor& boxes) {
  return (column(boxes, 2) - column(boxes, 0)) * (column(boxes, 3) - column(boxes, 1));
}

void checkBoxes(const at::Tensor& boxes) {
  TORCH_CHECK(boxes.dim() > 0 && boxes.size(-1) == 4, "boxes must be [...,4], got ", boxes.sizes());
}

}  // namespace

at::Tensor boxIou(const at::Tensor& first, const at::Tensor& second) {
  checkBoxes(first);
  checkBoxes(second);
  const at::Tensor left = first.unsqueeze(-2), right = second.unsqueeze(-3);
  const at::Tensor sides =
      (at::minimum(lower(left), lower(right)) - at::maximum(upper(left), upper(right)))
          .clamp_min(0);
  const at::Tensor intersection = column(sides, 0) * column(sides, 1);
  return intersection / (areas(left) + areas(right) - intersection);
}

at::Tensor boxLimits(const std::vector<base::ImageSize>& sizes, const at::Device& device) {
  std::vector<float> limits;
  for (const base::ImageSize& size : sizes) {
    const auto width = static_cast<float>(size.width), height = static_cast<float>(size.height);
    limits.insert(limits.end(), {width, height, width, height});
  }
  return toDevice(limits, device).view({-1, 1, 4});
}

}  // namespace lockstep::structures
