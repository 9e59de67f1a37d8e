#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstdint>

#include "engine/ops/cuda/segment_best.cuh"
#include "engine/ops/segment_best.h"

namespace lockstep::ops {
namespace {

constexpr int kSegmentThreads = 512;
constexpr std::int64_t kSegmentPartSize = 16384;  // scores of a block

template <typename T>
void launch(const SegmentJob<T>& job, std::int64_t images) {
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const auto imageCount = static_cast<unsigned>(images);
  if (job.plan.hasManyParts) {
    const dim3 grid(static_cast<unsigned>(job.plan.parts), imageCount);
    bestOfPartsKernel<<<grid, kSegmentThreads, 0, stream>>>(job);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  }
  const dim3 grid(static_cast<unsigned>(job.plan.segmentCount), imageCount);
  bestOfSegmentsKernel<<<grid, kSegmentThreads, 0, stream>>>(job);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace

static_assert(cuda::kMostBest == kSelectMost && cuda::kMostSegments == kMostSegments);

SegmentedTopK cuda::segmentedTopK(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                                  std::int64_t most) {
  const c10::cuda::CUDAGuard guard(scores.device());
  const at::Tensor values = scores.contiguous();
  const std::int64_t images = values.size(0);
  const SegmentPlan plan = planSegments(sizes, most, kSegmentPartSize);
  const auto indexOptions = values.options().dtype(at::kLong);
  SegmentedTopK best{at::empty({images, plan.bestCount}, indexOptions),
                     at::empty({images, plan.bestCount}, indexOptions)};
  if (best.indices.numel() == 0) return best;
  const std::int64_t partial = plan.hasManyParts ? images * plan.parts * most : 0;
  at::Tensor partKeys = at::empty({partial}, indexOptions),
             partIndices = at::empty({partial}, indexOptions.dtype(at::kInt));
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, values.scalar_type(), "best_of_segments", [&] {
        launch(
            SegmentJob<scalar_t>{
                plan, values.const_data_ptr<scalar_t>(), static_cast<int>(values.size(1)),
                reinterpret_cast<std::uint64_t*>(partKeys.data_ptr<std::int64_t>()),
                reinterpret_cast<std::uint32_t*>(partIndices.data_ptr<int>()),
                best.indices.data_ptr<std::int64_t>(), best.segments.data_ptr<std::int64_t>()},
            images);
      });
  return best;
}

}  // namespace lockstep::ops
