#include "engine/ops/nms.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"

namespace lockstep::ops {
namespace {

constexpr DispatchStub<NmsKernel> kNmsStub{cpu::selectByNms,
                                           LOCKSTEP_CUDA_KERNEL(cuda::selectByNms)};

void check(const NmsCandidates& all) {
  const at::Tensor &boxes = all.boxesXyxy, &scores = all.scores;
  TORCH_CHECK(scores.dim() == 2 && boxes.dim() == 3 && boxes.size(0) == scores.size(0) &&
                  boxes.size(1) == scores.size(1) && boxes.size(2) == 4,
              "boxes must be [N,A,4] and scores [N,A], got ", boxes.sizes(), " and ",
              scores.sizes());
  TORCH_CHECK(all.groups.sizes() == scores.sizes() && all.groups.scalar_type() == at::kLong,
              "groups must be ", scores.sizes(), " int64, got ", all.groups.sizes(), " ",
              all.groups.scalar_type());
  TORCH_CHECK(all.valid.sizes() == scores.sizes() && all.valid.scalar_type() == at::kBool,
              "valid must be ", scores.sizes(), " bool, got ", all.valid.sizes(), " ",
              all.valid.scalar_type());
  TORCH_CHECK(all.groupCount > 0, "candidates must be of at least one group, not of ",
              all.groupCount);
}

}  // namespace

float largestFloatUpTo(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest > value ? std::nextafter(nearest, -1.0f) : nearest;
}

std::int64_t NmsCandidates::groupSize() const {
  const std::int64_t size = scores.size(1);
  return mostOfGroup > 0 ? std::min(mostOfGroup, size) : size;
}

Selection selectByNms(const NmsCandidates& candidates, double iouThreshold, std::int64_t most) {
  check(candidates);
  LOCKSTEP_RECORD_FUNCTION("select_by_nms", candidates.boxesXyxy, candidates.groupSize(), most);
  const float threshold = largestFloatUpTo(iouThreshold);
  const std::int64_t slots = std::min(most, candidates.scores.size(1));
  return kNmsStub(candidates.scores.device(), candidates, threshold, slots);
}

}  // namespace lockstep::ops
