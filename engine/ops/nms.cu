#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "engine/ops/nms_cuda.h"
#include "engine/ops/nms_kernels.cuh"

namespace lockstep::ops {
namespace {

constexpr int kThreads = 256;

}  // namespace

Selection selectByNmsCuda(const NmsCandidates& candidates, double iouThreshold, std::int64_t most) {
  const at::Tensor& scores = candidates.scores;
  const c10::cuda::CUDAGuard guard(scores.device());
  const std::int64_t images = scores.size(0), size = scores.size(1);
  if (images == 0 || size == 0) {
    return {at::zeros({images, 0}, scores.options().dtype(at::kLong)),
            at::zeros({images, 0}, scores.options().dtype(at::kBool))};
  }
  const at::Tensor ranked =
      scores.detach()
          .to(at::kFloat)
          .masked_fill(candidates.valid.logical_not(), -std::numeric_limits<float>::infinity());
  const at::Tensor order =
      std::get<1>(ranked.sort(/*stable=*/true, 1, /*descending=*/true)).contiguous();
  const at::Tensor boxes = candidates.boxesXyxy.detach().to(at::kFloat).contiguous();
  const at::Tensor groups = candidates.groups.contiguous();
  const at::Tensor counts = candidates.valid.sum(1);
  const NmsBoxes all{reinterpret_cast<const float4*>(boxes.const_data_ptr<float>()),
                     groups.const_data_ptr<std::int64_t>(), order.const_data_ptr<std::int64_t>(),
                     counts.const_data_ptr<std::int64_t>(), static_cast<int>(size)};
  TORCH_CHECK(all.words() <= kMostNmsWords, size, " boxes of an image are too many for NMS");
  at::Tensor mask = at::empty({images, size, all.words()}, order.options());
  const std::int64_t slots = std::min(most, size);
  Selection kept{at::empty({images, slots}, order.options()),
                 at::empty({images, slots}, candidates.valid.options())};
  auto* bits = reinterpret_cast<NmsWord*>(mask.data_ptr<std::int64_t>());
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const auto words = static_cast<unsigned>(all.words()), count = static_cast<unsigned>(images);
  // The CPU compares with the threshold in double: this is the largest float32 up to it.
  overlapKernel<<<dim3(words, words, count), kNmsBits, 0, stream>>>(
      all, largestFloatUpTo(iouThreshold), bits);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  keepKernel<<<count, kThreads, 0, stream>>>(
      all, bits,
      {static_cast<int>(slots), kept.indices.data_ptr<std::int64_t>(),
       kept.valid.data_ptr<bool>()});
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return kept;
}

}  // namespace lockstep::ops
