#include "engine/ops/matching.h"

#include <ATen/ATen.h>

#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"

namespace lockstep::ops {
namespace {

constexpr DispatchStub<MatchBoxesKernel> kStub{cpu::matchBoxes,
                                               LOCKSTEP_CUDA_KERNEL(cuda::matchBoxes)};

}  // namespace

at::Tensor matchBoxes(const structures::GtBatch& groundTruth, const at::Tensor& candidates,
                      const MatchThresholds& thresholds) {
  LOCKSTEP_RECORD_FUNCTION("match_boxes", groundTruth.boxesXyxy, candidates);
  const at::Tensor& gtBoxes = groundTruth.boxesXyxy;
  TORCH_CHECK(gtBoxes.dim() == 3 && gtBoxes.size(1) > 0 && gtBoxes.size(2) == 4,
              "ground-truth boxes must be [N,G,4], got ", gtBoxes.sizes());
  TORCH_CHECK(
      (candidates.dim() == 2 || (candidates.dim() == 3 && candidates.size(0) == gtBoxes.size(0))) &&
          candidates.size(-1) == 4,
      "candidates must be [N,A,4] or [A,4], got ", candidates.sizes());
  return kStub(candidates.device(), groundTruth, candidates, thresholds);
}

}  // namespace lockstep::ops
