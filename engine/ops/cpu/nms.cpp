#include "engine/ops/nms.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/ops/cpu/vector_clones.h"

namespace lockstep::ops {
namespace {

/// Boxes of one group by falling score, as a structure of arrays for vectorisation.
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

/// The kept ones of `order`, which is by falling score; at most `most`.
std::vector<std::int64_t> suppress(const float* boxes, const std::vector<std::int64_t>& order,
                                   float threshold, std::size_t most) {
  const BoxColumns columns(boxes, order);
  std::vector<std::int32_t> suppressed(order.size(), 0);
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < order.size() && kept.size() < most; ++i) {
    if (suppressed[i]) continue;
    kept.push_back(order[i]);
    suppressOverlapping(columns, i, threshold, suppressed.data());
  }
  return kept;
}

/// The candidates of all images in memory.
struct Candidates {
  at::Tensor boxes, scores, groups, valid;
  std::int64_t images, size, groupCount, groupSize;

  explicit Candidates(const NmsCandidates& all)
      : boxes(all.boxesXyxy.detach().to(at::kFloat).contiguous()),
        scores(all.scores.detach().to(at::kFloat).contiguous()),
        groups(all.groups.contiguous()),
        valid(all.valid.contiguous()),
        images(scores.size(0)),
        size(scores.size(1)),
        groupCount(all.groupCount),
        groupSize(all.groupSize()) {}

  const float* boxesOf(std::int64_t image) const {
    return boxes.const_data_ptr<float>() + image * size * 4;
  }

  /// The valid candidates of an image, best score first, equal scores in their order.
  std::vector<std::int64_t> sorted(std::int64_t image) const {
    const bool* isValid = valid.const_data_ptr<bool>() + image * size;
    const float* values = scores.const_data_ptr<float>() + image * size;
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < size; ++i)
      if (isValid[i]) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return values[a] > values[b]; });
    return order;
  }

  /// Those of each group in the order of `order`.
  std::vector<std::vector<std::int64_t>> byGroup(std::int64_t image,
                                                 const std::vector<std::int64_t>& order) const {
    const auto* names = groups.const_data_ptr<std::int64_t>() + image * size;
    std::vector<std::vector<std::int64_t>> members(groupCount);
    for (const std::int64_t index : order) {
      TORCH_CHECK(names[index] >= 0 && names[index] < groupCount, "candidate ", index,
                  " is of group ", names[index], " of ", groupCount);
      members[names[index]].push_back(index);
    }
    for (const auto& group : members) {
      TORCH_CHECK(static_cast<std::int64_t>(group.size()) <= groupSize, "a group has ",
                  group.size(), " candidates, which is more than ", groupSize);
    }
    return members;
  }
};

/// Intermediate results of an image.
struct ImageOrder {
  std::vector<std::int64_t> order;  // best score first
  std::vector<std::vector<std::int64_t>> groups;
  std::vector<std::uint8_t> isKept;
};

}  // namespace

Selection cpu::selectByNms(const NmsCandidates& candidates, float threshold, std::int64_t slots) {
  const Candidates all(candidates);
  Selection selection{at::zeros({all.images, slots}, at::kLong),
                      at::zeros({all.images, slots}, at::kBool)};
  std::vector<ImageOrder> images(all.images);
  at::parallel_for(0, all.images, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      images[n].order = all.sorted(n);
      images[n].groups = all.byGroup(n, images[n].order);
      images[n].isKept.resize(all.size);
    }
  });
  at::parallel_for(0, all.images * all.groupCount, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t n = i / all.groupCount;
      const auto& group = images[n].groups[i % all.groupCount];
      for (const std::int64_t index : suppress(all.boxesOf(n), group, threshold, slots))
        images[n].isKept[index] = 1;
    }
  });
  for (std::int64_t n = 0; n < all.images; ++n) {
    auto* indices = selection.indices.data_ptr<std::int64_t>() + n * slots;
    bool* valid = selection.valid.data_ptr<bool>() + n * slots;
    std::int64_t filled = 0;
    for (const std::int64_t index : images[n].order) {
      if (filled == slots) break;
      if (!images[n].isKept[index]) continue;
      valid[filled] = true;
      indices[filled++] = index;
    }
  }
  return selection;
}

}  // namespace lockstep::ops
