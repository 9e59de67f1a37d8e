#include "engine/ops/boxes.h"

#include <ATen/ATen.h>

#include <cmath>

namespace lockstep::ops {
namespace {

using at::indexing::Ellipsis;
using at::indexing::None;
using at::indexing::Slice;

at::Tensor column(const at::Tensor& boxes, std::int64_t index) { return boxes.select(-1, index); }

at::Tensor areas(const at::Tensor& boxes) {
  return (column(boxes, 2) - column(boxes, 0)) * (column(boxes, 3) - column(boxes, 1));
}

/// Keeps an exponential of the network's output from overflowing: a box grows at most 62.5 times.
const double kLargestLogScale = std::log(1000.0 / 16.0);

}  // namespace

at::Tensor boxIou(const at::Tensor& first, const at::Tensor& second) {
  TORCH_CHECK(first.dim() == 2 && first.size(1) == 4, "boxes must be [G,4], got ", first.sizes());
  TORCH_CHECK(second.dim() == 2 && second.size(1) == 4, "boxes must be [R,4], got ",
              second.sizes());
  const at::Tensor left = first.unsqueeze(1), right = second.unsqueeze(0);
  const at::Tensor upper = at::maximum(left.slice(2, 0, 2), right.slice(2, 0, 2));
  const at::Tensor lower = at::minimum(left.slice(2, 2, 4), right.slice(2, 2, 4));
  const at::Tensor sides = (lower - upper).clamp_min(0);
  const at::Tensor intersection = sides.select(2, 0) * sides.select(2, 1);
  return intersection / (areas(first).unsqueeze(1) + areas(second) - intersection);
}

at::Tensor clipBoxes(const at::Tensor& boxesXyxy, const ImageSize& size) {
  TORCH_CHECK(boxesXyxy.size(-1) == 4, "boxes must be [...,4], got ", boxesXyxy.sizes());
  at::Tensor clipped = boxesXyxy.clone();
  clipped.index({Ellipsis, Slice(0, None, 2)}).clamp_(0, size.width);
  clipped.index({Ellipsis, Slice(1, None, 2)}).clamp_(0, size.height);
  return clipped;
}

at::Tensor keepLargeBoxes(const at::Tensor& boxesXyxy, double minSide) {
  TORCH_CHECK(boxesXyxy.dim() == 2 && boxesXyxy.size(1) == 4, "boxes must be [R,4], got ",
              boxesXyxy.sizes());
  const at::Tensor sides = boxesXyxy.slice(1, 2, 4) - boxesXyxy.slice(1, 0, 2);
  return (sides >= minSide).all(1).nonzero().squeeze(1);
}

at::Tensor encodeBoxes(const at::Tensor& targets, const at::Tensor& anchors,
                       const BoxWeights& weights) {
  TORCH_CHECK(targets.sizes() == anchors.sizes() && targets.size(-1) == 4,
              "targets and anchors must both be [R,4], got ", targets.sizes(), " and ",
              anchors.sizes());
  const at::Tensor anchorSides = anchors.slice(1, 2, 4) - anchors.slice(1, 0, 2);
  const at::Tensor anchorCentres = anchors.slice(1, 0, 2) + 0.5 * anchorSides;
  const at::Tensor targetSides = targets.slice(1, 2, 4) - targets.slice(1, 0, 2);
  const at::Tensor targetCentres = targets.slice(1, 0, 2) + 0.5 * targetSides;
  const at::Tensor factors = at::tensor(at::ArrayRef<double>(weights), targets.options());
  return at::cat({factors.slice(0, 0, 2) * (targetCentres - anchorCentres) / anchorSides,
                  factors.slice(0, 2, 4) * at::log(targetSides / anchorSides)},
                 1);
}

at::Tensor decodeBoxes(const at::Tensor& deltas, const at::Tensor& anchors,
                       const BoxWeights& weights) {
  TORCH_CHECK(deltas.dim() == 2 && deltas.size(1) % 4 == 0 && anchors.dim() == 2 &&
                  anchors.size(1) == 4 && deltas.size(0) == anchors.size(0),
              "deltas must be [R,4*C] and anchors [R,4], got ", deltas.sizes(), " and ",
              anchors.sizes());
  const at::Tensor codes = deltas.to(at::kFloat).view({deltas.size(0), deltas.size(1) / 4, 4});
  const at::Tensor boxes = anchors.to(at::kFloat).unsqueeze(1);
  const at::Tensor factors = at::tensor(at::ArrayRef<double>(weights), codes.options());
  const at::Tensor scaled = codes / factors;
  const at::Tensor anchorSides = boxes.slice(2, 2, 4) - boxes.slice(2, 0, 2);
  const at::Tensor anchorCentres = boxes.slice(2, 0, 2) + 0.5 * anchorSides;
  const at::Tensor centres = scaled.slice(2, 0, 2) * anchorSides + anchorCentres;
  const at::Tensor halves =
      0.5 * (at::exp(scaled.slice(2, 2, 4).clamp_max(kLargestLogScale)) * anchorSides);
  return at::cat({centres - halves, centres + halves}, 2).view(deltas.sizes());
}

}  // namespace lockstep::ops
