#include "engine/ops/segment_best.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"
#include "engine/structures/tensor_block.h"

namespace lockstep::ops {
namespace {

constexpr DispatchStub<SegmentedTopKKernel> kSegmentedTopKStub{
    cpu::segmentedTopK, LOCKSTEP_CUDA_KERNEL(cuda::segmentedTopK)};

bool hasTopKKernel(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                   std::int64_t most) {
  const bool isWithinLimits = most <= cuda::kMostBest && sizes.size() <= cuda::kMostSegments;
  return kSegmentedTopKStub.hasKernelFor(scores.device()) && (scores.is_cpu() || isWithinLimits);
}

/// The fallback on any device, for numbers that the kernels do not support.
SegmentedTopK bestBySorting(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                            std::int64_t most) {
  std::vector<at::Tensor> best;
  std::vector<std::int64_t> segments;
  std::int64_t first = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const at::Tensor own = scores.slice(1, first, first + sizes[s]).to(at::kFloat);
    const at::Tensor order = std::get<1>(own.sort(/*stable=*/true, 1, /*descending=*/true));
    const std::int64_t count = std::min(sizes[s], most);
    best.push_back(order.slice(1, 0, count) + first);
    segments.insert(segments.end(), count, static_cast<std::int64_t>(s));
    first += sizes[s];
  }
  const at::Tensor indices = at::cat(best, 1);
  return {indices,
          structures::toDevice(segments, indices.device()).unsqueeze(0).expand_as(indices)};
}

}  // namespace

SegmentedTopK segmentedTopK(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                            std::int64_t most) {
  LOCKSTEP_RECORD_FUNCTION("best_of_segments", scores, sizes, most);
  TORCH_CHECK(scores.dim() == 2 &&
                  scores.size(1) == std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}),
              "segments of ", sizes, " do not make up scores of ", scores.sizes());
  const at::Tensor values = scores.detach();
  if (hasTopKKernel(values, sizes, most))
    return kSegmentedTopKStub(values.device(), values, sizes, most);
  return bestBySorting(values, sizes, most);
}

}  // namespace lockstep::ops
