#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdint>

#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/cuda/matching.cuh"
#include "engine/ops/matching.h"

namespace lockstep::ops {

at::Tensor cuda::matchBoxes(const structures::GtBatch& groundTruth, const at::Tensor& candidates,
                            const MatchThresholds& thresholds) {
  const c10::cuda::CUDAGuard guard(candidates.device());
  const at::Tensor gts = groundTruth.boxesXyxy.to(at::kFloat).contiguous();
  const at::Tensor boxes = candidates.to(at::kFloat).contiguous();
  const at::Tensor gtCounts = groundTruth.counts.contiguous();
  const std::int64_t images = gts.size(0), count = boxes.size(-2);
  at::Tensor matches = at::empty({images, count}, gtCounts.options());
  if (matches.numel() == 0) return matches;
  at::Tensor nearest = at::empty({images, count}, gtCounts.options().dtype(at::kInt));
  at::Tensor bestOfGt = at::zeros({images, gts.size(1)}, nearest.options());
  const MatchPairs pairs{reinterpret_cast<const float4*>(gts.const_data_ptr<float>()),
                         gtCounts.const_data_ptr<std::int64_t>(),
                         static_cast<int>(gts.size(1)),
                         reinterpret_cast<const float4*>(boxes.const_data_ptr<float>()),
                         boxes.dim() == 3 ? count : 0,
                         static_cast<int>(count)};
  const Launch how = matchLaunch(pairs, images);
  auto* best = reinterpret_cast<unsigned*>(bestOfGt.data_ptr<int>());
  launch(bestKernel, how, pairs, static_cast<float>(thresholds.foreground),
         static_cast<float>(thresholds.background), nearest.data_ptr<int>(),
         matches.data_ptr<std::int64_t>(), best);
  if (thresholds.lowQualityMatches) {
    launch(restoreKernel, how, pairs, nearest.const_data_ptr<int>(), best,
           matches.data_ptr<std::int64_t>());
  }
  return matches;
}

}  // namespace lockstep::ops
