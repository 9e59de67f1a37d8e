#include "engine/ops/nms.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/ops/nms_cuda.h"
#include "engine/ops/recorded_op.h"
#include "engine/ops/vector_clones.h"

namespace lockstep::ops {
namespace {

/// Boxes of one group, best score first, coordinate by coordinate so that a vector unit can take
/// many at once.
struct BoxColumns {
  std::vector<float> x1, y1, x2, y2, area;

  BoxColumns(const float* boxes, const std::vector<std::int64_t>& order) {
    for (std::vector<float>* each : {&x1, &y1, &x2, &y2, &area}) each->reserve(order.size());
    for (const std::int64_t index : order) {
      const float* box = boxes + 4 * index;
      x1.push_back(box[0]);
      y1.push_back(box[1]);
      x2.push_back(box[2]);
      y2.push_back(box[3]);
      area.push_back((box[2] - box[0]) * (box[3] - box[1]));
    }
  }
};

/// Marks the boxes after `best` whose IoU with it is above the threshold.
LOCKSTEP_VECTOR_CLONES
void suppressOverlapping(const BoxColumns& boxes, std::size_t best, float threshold,
                         std::int32_t* suppressed) {
  const float *x1 = boxes.x1.data(), *y1 = boxes.y1.data();
  const float *x2 = boxes.x2.data(), *y2 = boxes.y2.data(), *area = boxes.area.data();
  const float left = x1[best], top = y1[best], right = x2[best], bottom = y2[best];
  const float bestArea = area[best];
  const std::size_t count = boxes.x1.size();
  for (std::size_t i = best + 1; i < count; ++i) {
    const float width = (right < x2[i] ? right : x2[i]) - (left > x1[i] ? left : x1[i]);
    const float height = (bottom < y2[i] ? bottom : y2[i]) - (top > y1[i] ? top : y1[i]);
    const float intersection = (width > 0 ? width : 0) * (height > 0 ? height : 0);
    const float overlap = intersection / (bestArea + area[i] - intersection);
    suppressed[i] |= overlap > threshold;
  }
}

/// The kept ones of `order`, which is best score first.
std::vector<std::int64_t> suppress(const float* boxes, const std::vector<std::int64_t>& order,
                                   float threshold) {
  const BoxColumns columns(boxes, order);
  std::vector<std::int32_t> suppressed(order.size(), 0);
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (suppressed[i]) continue;
    kept.push_back(order[i]);
    suppressOverlapping(columns, i, threshold, suppressed.data());
  }
  return kept;
}

/// Positions 0 … count-1, best score first, equal scores in their order.
std::vector<std::int64_t> orderByScore(const float* scores, std::int64_t count) {
  std::vector<std::int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return scores[a] > scores[b]; });
  return order;
}

at::Tensor toIndex(const std::vector<std::int64_t>& values) {
  at::Tensor index = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), index.data_ptr<std::int64_t>());
  return index;
}

/// Each group's members in the order of `order`.
std::vector<std::vector<std::int64_t>> splitByGroup(const std::vector<std::int64_t>& order,
                                                    const std::int64_t* groups) {
  std::vector<std::int64_t> names(groups, groups + order.size());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::vector<std::int64_t>> members(names.size());
  for (const std::int64_t index : order) {
    const auto name = std::lower_bound(names.begin(), names.end(), groups[index]);
    members[name - names.begin()].push_back(index);
  }
  return members;
}

void checkBoxesAndScores(const at::Tensor& boxes, const at::Tensor& scores) {
  TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4, "boxes must be [R,4], got ", boxes.sizes());
  TORCH_CHECK(scores.dim() == 1 && scores.size(0) == boxes.size(0), "scores must be [",
              boxes.size(0), "], got ", scores.sizes());
}

}  // namespace

float largestFloatUpTo(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest > value ? std::nextafter(nearest, -1.0f) : nearest;
}

at::Tensor nms(const at::Tensor& boxesXyxy, const at::Tensor& scores, double iouThreshold) {
  checkBoxesAndScores(boxesXyxy, scores);
  return batchedNms(boxesXyxy, scores, at::zeros_like(scores, at::kLong), iouThreshold);
}

at::Tensor batchedNms(const at::Tensor& boxesXyxy, const at::Tensor& scores,
                      const at::Tensor& groups, double iouThreshold) {
  checkBoxesAndScores(boxesXyxy, scores);
  TORCH_CHECK(groups.sizes() == scores.sizes(), "groups must be [", scores.size(0), "], got ",
              groups.sizes());
  const at::Tensor boxes = boxesXyxy.detach().to(at::kFloat).contiguous();
  const at::Tensor values = scores.detach().to(at::kFloat).contiguous();
  const at::Tensor names = groups.to(at::kLong).contiguous();
  TORCH_CHECK(boxes.is_cpu(), "one image alone is for the CPU: see selectByNms");

  const std::int64_t count = boxes.size(0);
  const auto members = splitByGroup(orderByScore(values.const_data_ptr<float>(), count),
                                    names.const_data_ptr<std::int64_t>());
  std::vector<std::uint8_t> isKept(count, 0);
  const float threshold = largestFloatUpTo(iouThreshold);
  at::parallel_for(0, members.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto kept = suppress(boxes.const_data_ptr<float>(), members[i], threshold);
      for (const std::int64_t index : kept) isKept[index] = 1;
    }
  });
  std::vector<std::int64_t> kept;
  for (const std::int64_t index : orderByScore(values.const_data_ptr<float>(), count)) {
    if (isKept[index]) kept.push_back(index);
  }
  return toIndex(kept);
}

Selection selectByNms(const NmsCandidates& candidates, double iouThreshold, std::int64_t most) {
  LOCKSTEP_RECORD_OP("select_by_nms", candidates.boxesXyxy, candidates.groups, most);
  TORCH_CHECK(candidates.boxesXyxy.dim() == 3 && candidates.scores.dim() == 2,
              "boxes must be [N,A,4] and scores [N,A], got ", candidates.boxesXyxy.sizes(), " and ",
              candidates.scores.sizes());
#ifdef LOCKSTEP_CUDA
  if (candidates.scores.is_cuda()) return selectByNmsCuda(candidates, iouThreshold, most);
#endif
  TORCH_CHECK(candidates.scores.is_cpu(), "this program was built without kernels for ",
              candidates.scores.device());
  const std::int64_t images = candidates.scores.size(0),
                     size = std::min(most, candidates.scores.size(1));
  Selection selection{at::zeros({images, size}, at::kLong), at::zeros({images, size}, at::kBool)};
  for (std::int64_t n = 0; n < images; ++n) {
    const at::Tensor rows = candidates.valid[n].nonzero().squeeze(1);
    const at::Tensor kept = batchedNms(candidates.boxesXyxy[n].index_select(0, rows),
                                       candidates.scores[n].index_select(0, rows),
                                       candidates.groups[n].index_select(0, rows), iouThreshold)
                                .slice(0, 0, size);
    selection.indices[n].slice(0, 0, kept.size(0)).copy_(rows.index_select(0, kept));
    selection.valid[n].slice(0, 0, kept.size(0)).fill_(true);
  }
  return selection;
}

}  // namespace lockstep::ops
