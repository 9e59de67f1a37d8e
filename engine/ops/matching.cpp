#include "engine/ops/matching.h"

#include <ATen/ATen.h>

#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"

namespace lockstep::ops {
namespace {

constexpr DispatchStub<MatchBoxesKernel> kMatchStub{cpu::matchBoxes,
                                                    LOCKSTEP_CUDA_KERNEL(cuda::matchBoxes)};
constexpr DispatchStub<BestOverlapsKernel> kOverlapStub{cpu::bestOverlaps,
                                                        LOCKSTEP_CUDA_KERNEL(cuda::bestOverlaps)};

void checkBoxes(const structures::GtBatch& groundTruth, const at::Tensor& candidates) {
  const at::Tensor& gtBoxes = groundTruth.boxesXyxy;
  TORCH_CHECK(gtBoxes.dim() == 3 && gtBoxes.size(1) > 0 && gtBoxes.size(2) == 4,
              "ground-truth boxes must be [N,G,4], got ", gtBoxes.sizes());
  TORCH_CHECK(
      (candidates.dim() == 2 || (candidates.dim() == 3 && candidates.size(0) == gtBoxes.size(0))) &&
          candidates.size(-1) == 4,
      "candidates must be [N,A,4] or [A,4], got ", candidates.sizes());
}

}  // namespace

at::Tensor matchBoxes(const structures::GtBatch& groundTruth, const at::Tensor& candidates,
                      const MatchThresholds& thresholds) {
  LOCKSTEP_RECORD_FUNCTION("match_boxes", groundTruth.boxesXyxy, candidates);
  checkBoxes(groundTruth, candidates);
  return kMatchStub(candidates.device(), groundTruth, candidates, thresholds);
}

at::Tensor bestOverlaps(const structures::GtBatch& groundTruth, const at::Tensor& candidates) {
  LOCKSTEP_RECORD_FUNCTION("best_overlaps", groundTruth.boxesXyxy, candidates);
  checkBoxes(groundTruth, candidates);
  return kOverlapStub(candidates.device(), groundTruth, candidates);
}

}  // namespace lockstep::ops
