#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdint>

#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/cuda/matching.cuh"
#include "engine/ops/matching.h"

namespace lockstep::ops {

namespace {

/// Boxes of a batch on the GPU, and what bestKernel writes of them.
struct Matching {
  at::Tensor gts, boxes, gtCounts;
  at::Tensor matches, nearest, bestOfGt;
  MatchPairs pairs{};

  Matching(const structures::GtBatch& groundTruth, const at::Tensor& candidates)
      : gts(groundTruth.boxesXyxy.to(at::kFloat).contiguous()),
        boxes(candidates.to(at::kFloat).contiguous()),
        gtCounts(groundTruth.counts.contiguous()) {
    const std::int64_t images = gts.size(0), count = boxes.size(-2);
    matches = at::empty({images, count}, gtCounts.options());
    nearest = at::empty({images, count}, gtCounts.options().dtype(at::kInt));
    bestOfGt = at::zeros({images, gts.size(1)}, nearest.options());
    pairs = {reinterpret_cast<const float4*>(gts.const_data_ptr<float>()),
             gtCounts.const_data_ptr<std::int64_t>(),
             static_cast<int>(gts.size(1)),
             reinterpret_cast<const float4*>(boxes.const_data_ptr<float>()),
             boxes.dim() == 3 ? count : 0,
             static_cast<int>(count)};
  }

  unsigned* best() { return reinterpret_cast<unsigned*>(bestOfGt.data_ptr<int>()); }

  void findBest(const MatchThresholds& thresholds) {
    launch(bestKernel, matchLaunch(pairs, gts.size(0)), pairs,
           static_cast<float>(thresholds.foreground), static_cast<float>(thresholds.background),
           nearest.data_ptr<int>(), matches.data_ptr<std::int64_t>(), best());
  }
};

}  // namespace

at::Tensor cuda::matchBoxes(const structures::GtBatch& groundTruth, const at::Tensor& candidates,
                            const MatchThresholds& thresholds) {
  const c10::cuda::CUDAGuard guard(candidates.device());
  Matching matching(groundTruth, candidates);
  if (matching.matches.numel() == 0) return matching.matches;
  matching.findBest(thresholds);
  if (thresholds.lowQualityMatches) {
    launch(restoreKernel, matchLaunch(matching.pairs, matching.gts.size(0)), matching.pairs,
           matching.nearest.const_data_ptr<int>(), matching.best(),
           matching.matches.data_ptr<std::int64_t>());
  }
  return matching.matches;
}

at::Tensor cuda::bestOverlaps(const structures::GtBatch& groundTruth,
                              const at::Tensor& candidates) {
  const c10::cuda::CUDAGuard guard(candidates.device());
  Matching matching(groundTruth, candidates);
  if (matching.matches.numel() > 0) matching.findBest({});
  return matching.bestOfGt.view(at::kFloat);  // the kernel keeps the bits of floats
}

}  // namespace lockstep::ops
