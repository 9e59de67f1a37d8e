#include "engine/ops/matching.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "engine/ops/cpu/vector_clones.h"
#include "engine/structures/boxes.h"

namespace lockstep::ops {
namespace {

constexpr std::int64_t kBlock = 1024;  // candidates whose best match stays in the cache

using structures::Box;

float area(const Box& box) { return (box.x2 - box.x1) * (box.y2 - box.y1); }

/// IoU of one ground truth with `count` candidates.
LOCKSTEP_VECTOR_CLONES
void overlaps(const Box& gt, const Box* candidates, std::int64_t count, float* iou) {
  const float gtArea = area(gt);
  for (std::int64_t i = 0; i < count; ++i) {
    const Box& box = candidates[i];
    const float width = (gt.x2 < box.x2 ? gt.x2 : box.x2) - (gt.x1 > box.x1 ? gt.x1 : box.x1);
    const float height = (gt.y2 < box.y2 ? gt.y2 : box.y2) - (gt.y1 > box.y1 ? gt.y1 : box.y1);
    const float intersection = (width > 0 ? width : 0) * (height > 0 ? height : 0);
    iou[i] = intersection / (gtArea + area(box) - intersection);
  }
}

/// Best ground truth of each candidate and best IoU of each ground truth, without the whole matrix.
struct BestOverlaps {
  std::vector<float> ofCandidate;
  std::vector<std::int64_t> gtOfCandidate;
  std::vector<float> ofGt;
};

BestOverlaps findBest(const Box* gts, std::int64_t gtCount, const Box* candidates,
                      std::int64_t count) {
  BestOverlaps best{std::vector<float>(count, -1.0f), std::vector<std::int64_t>(count, 0),
                    std::vector<float>(gtCount, 0.0f)};
  std::mutex mutex;  // guards best.ofGt
  at::parallel_for(0, count, kBlock, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> iou(kBlock), ofGt(gtCount, 0.0f);
    for (std::int64_t from = begin; from < end; from += kBlock) {
      const std::int64_t size = std::min(kBlock, end - from);
      for (std::int64_t g = 0; g < gtCount; ++g) {
        overlaps(gts[g], candidates + from, size, iou.data());
        for (std::int64_t i = 0; i < size; ++i) {
          if (iou[i] > best.ofCandidate[from + i]) {
            best.ofCandidate[from + i] = iou[i];
            best.gtOfCandidate[from + i] = g;
          }
          ofGt[g] = std::max(ofGt[g], iou[i]);
        }
      }
    }
    const std::lock_guard lock(mutex);
    for (std::int64_t g = 0; g < gtCount; ++g) best.ofGt[g] = std::max(best.ofGt[g], ofGt[g]);
  });
  return best;
}

/// Gives back their best ground truth to the candidates that reach the best IoU of some ground
/// truth.
void restoreLowQualityMatches(const Box* gts, const Box* candidates, const BestOverlaps& best,
                              std::int64_t* matches, std::int64_t count) {
  at::parallel_for(0, count, kBlock, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> iou(end - begin);
    for (std::size_t g = 0; g < best.ofGt.size(); ++g) {
      overlaps(gts[g], candidates + begin, end - begin, iou.data());
      for (std::int64_t i = begin; i < end; ++i) {
        if (iou[i - begin] == best.ofGt[g]) matches[i] = best.gtOfCandidate[i];
      }
    }
  });
}

/// One image: gts [gtCount], boxes [count] -> matches [count].
void matchImage(const Box* gts, std::int64_t gtCount, const Box* boxes, std::int64_t count,
                const MatchThresholds& thresholds, std::int64_t* matches) {
  const BestOverlaps best = findBest(gts, gtCount, boxes, count);
  const auto background = static_cast<float>(thresholds.background);
  const auto foreground = static_cast<float>(thresholds.foreground);
  for (std::int64_t i = 0; i < count; ++i) {
    const float iou = best.ofCandidate[i];
    matches[i] = iou < background   ? kBelowThreshold
                 : iou < foreground ? kBetweenThresholds
                                    : best.gtOfCandidate[i];
  }
  if (thresholds.lowQualityMatches) restoreLowQualityMatches(gts, boxes, best, matches, count);
}

/// Boxes of a batch on the CPU.
struct MatchInputs {
  at::Tensor gtData, boxData, gtCounts;
  std::int64_t images, most, count;

  MatchInputs(const structures::GtBatch& groundTruth, const at::Tensor& candidates)
      : gtData(groundTruth.boxesXyxy.to(at::kFloat).contiguous()),
        boxData(candidates.to(at::kFloat).contiguous()),
        gtCounts(groundTruth.counts.contiguous()),
        images(gtData.size(0)),
        most(gtData.size(1)),
        count(boxData.size(-2)) {}

  std::int64_t gtCount(std::int64_t image) const {
    return gtCounts.const_data_ptr<std::int64_t>()[image];
  }
  const Box* gts(std::int64_t image) const {
    return reinterpret_cast<const Box*>(gtData.const_data_ptr<float>()) + image * most;
  }
  const Box* boxes(std::int64_t image) const {
    const std::int64_t stride = boxData.dim() == 3 ? count : 0;
    return reinterpret_cast<const Box*>(boxData.const_data_ptr<float>()) + image * stride;
  }
};

}  // namespace

at::Tensor cpu::matchBoxes(const structures::GtBatch& groundTruth, const at::Tensor& candidates,
                           const MatchThresholds& thresholds) {
  const MatchInputs in(groundTruth, candidates);
  at::Tensor matches = at::full({in.images, in.count}, kBelowThreshold, at::kLong);
  for (std::int64_t n = 0; n < in.images; ++n) {
    if (in.gtCount(n) == 0 || in.count == 0) continue;
    matchImage(in.gts(n), in.gtCount(n), in.boxes(n), in.count, thresholds,
               matches.data_ptr<std::int64_t>() + n * in.count);
  }
  return matches;
}

at::Tensor cpu::bestOverlaps(const structures::GtBatch& groundTruth, const at::Tensor& candidates) {
  const MatchInputs in(groundTruth, candidates);
  at::Tensor overlaps = at::zeros({in.images, in.most}, at::kFloat);
  for (std::int64_t n = 0; n < in.images; ++n) {
    const auto best = findBest(in.gts(n), in.gtCount(n), in.boxes(n), in.count);
    std::ranges::copy(best.ofGt, overlaps.data_ptr<float>() + n * in.most);
  }
  return overlaps;
}

}  // namespace lockstep::ops
