#include "engine/ops/boxes.h"

#include <ATen/ATen.h>

#include <cmath>

#include "engine/ops/selection.h"

namespace lockstep::ops {
namespace {

at::Tensor column(const at::Tensor& boxes, std::int64_t index) { return boxes.select(-1, index); }
at::Tensor upper(const at::Tensor& boxes) { return boxes.slice(-1, 0, 2); }
at::Tensor lower(const at::Tensor& boxes) { return boxes.slice(-1, 2, 4); }

at::Tensor areas(const at::Tensor& boxes) {
  return (column(boxes, 2) - column(boxes, 0)) * (column(boxes, 3) - column(boxes, 1));
}

/// Keeps an exponential of the network's output from overflowing: a box grows at most 62.5 times.
const double kLargestLogScale = std::log(1000.0 / 16.0);

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

at::Tensor boxLimits(const std::vector<ImageSize>& sizes, const at::Device& device) {
  std::vector<float> limits;
  for (const ImageSize& size : sizes) {
    const auto width = static_cast<float>(size.width), height = static_cast<float>(size.height);
    limits.insert(limits.end(), {width, height, width, height});
  }
  return toDevice(limits, device).view({-1, 1, 4});
}

at::Tensor clipBoxes(const at::Tensor& boxesXyxy, const at::Tensor& limits) {
  checkBoxes(boxesXyxy);
  return at::minimum(boxesXyxy.clamp_min(0), limits);
}

at::Tensor areLarge(const at::Tensor& boxesXyxy, double minSide) {
  checkBoxes(boxesXyxy);
  return (lower(boxesXyxy) - upper(boxesXyxy) >= minSide).all(-1);
}

at::Tensor encodeBoxes(const at::Tensor& targets, const at::Tensor& anchors,
                       const BoxWeights& weights) {
  checkBoxes(targets);
  checkBoxes(anchors);
  const at::Tensor anchorSides = lower(anchors) - upper(anchors);
  const at::Tensor anchorCentres = upper(anchors) + 0.5 * anchorSides;
  const at::Tensor targetSides = lower(targets) - upper(targets);
  const at::Tensor targetCentres = upper(targets) + 0.5 * targetSides;
  const at::Tensor shifts = (targetCentres - anchorCentres) / anchorSides;
  const at::Tensor scales = at::log(targetSides / anchorSides);
  return at::stack({column(shifts, 0) * weights[0], column(shifts, 1) * weights[1],
                    column(scales, 0) * weights[2], column(scales, 1) * weights[3]},
                   -1);
}

at::Tensor decodeBoxes(const at::Tensor& deltas, const at::Tensor& anchors,
                       const BoxWeights& weights) {
  TORCH_CHECK(deltas.sizes() == anchors.sizes(), "deltas and anchors must both be [...,4], got ",
              deltas.sizes(), " and ", anchors.sizes());
  checkBoxes(deltas);
  const at::Tensor codes = deltas.to(at::kFloat), boxes = anchors.to(at::kFloat);
  const at::Tensor shifts =
      at::stack({column(codes, 0) / weights[0], column(codes, 1) / weights[1]}, -1);
  const at::Tensor scales =
      at::stack({column(codes, 2) / weights[2], column(codes, 3) / weights[3]}, -1);
  const at::Tensor anchorSides = lower(boxes) - upper(boxes);
  const at::Tensor anchorCentres = upper(boxes) + 0.5 * anchorSides;
  const at::Tensor centres = shifts * anchorSides + anchorCentres;
  const at::Tensor halves = 0.5 * (at::exp(scales.clamp_max(kLargestLogScale)) * anchorSides);
  return at::cat({centres - halves, centres + halves}, -1);
}

}  // namespace lockstep::ops
