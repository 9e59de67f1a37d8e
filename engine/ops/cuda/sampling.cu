#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/ops/cuda/sampling.cuh"
#include "engine/ops/sampling.h"
#include "engine/structures/tensor_block.h"

namespace lockstep::ops {
namespace {

constexpr int kSampleThreads = 512;
constexpr std::int64_t kSamplePartSize =
    16384;  // candidates of a block; a multiple of kSampleThreads

at::Tensor wordsOnDevice(const SamplingKeys& keys, const at::Device& device) {
  std::vector<std::int64_t> words;
  for (std::size_t n = 0; n < keys.positive.size(); ++n) {
    words.push_back(static_cast<std::int64_t>(base::mixBits(keys.positive[n])));
    words.push_back(static_cast<std::int64_t>(base::mixBits(keys.negative[n])));
  }
  return structures::toDevice(words, device);
}

}  // namespace

static_assert(cuda::kMostSampled == kSelectMost);

BalancedSelection cuda::sampleBalanced(const at::Tensor& labels, const SampleCounts& counts,
                                       const SamplingKeys& keys, const at::Tensor& numbers) {
  const c10::cuda::CUDAGuard guard(labels.device());
  const at::Tensor all = labels.to(at::kLong).contiguous();
  const at::Tensor names = numbers.defined() ? numbers.contiguous() : numbers;
  const std::int64_t images = all.size(0), candidates = all.size(1),
                     slots = std::min(counts.total, candidates);
  BalancedSelection sample;
  sample.indices = at::empty({images, slots}, all.options());
  sample.valid = at::empty({images, slots}, all.options().dtype(at::kBool));
  sample.isPositive = at::empty_like(sample.valid);
  if (sample.indices.numel() == 0) return sample;

  const at::Tensor words = wordsOnDevice(keys, all.device());
  const std::int64_t parts = (candidates + kSamplePartSize - 1) / kSamplePartSize;
  const std::int64_t partial = parts > 1 ? images * 2 * parts * slots : 0;
  at::Tensor partialKeys = at::empty({partial}, all.options()),
             partialIndices = at::empty({partial}, all.options().dtype(at::kInt));
  const SampleJob job{all.const_data_ptr<std::int64_t>(),
                      names.defined() ? names.const_data_ptr<std::int64_t>() : nullptr,
                      words.const_data_ptr<std::int64_t>(),
                      static_cast<int>(candidates),
                      static_cast<int>(std::min(counts.mostPositives(), slots)),
                      static_cast<int>(slots),
                      static_cast<int>(kSamplePartSize),
                      static_cast<int>(parts),
                      {reinterpret_cast<std::uint64_t*>(partialKeys.data_ptr<std::int64_t>()),
                       reinterpret_cast<std::uint32_t*>(partialIndices.data_ptr<int>())},
                      sample.indices.data_ptr<std::int64_t>(),
                      sample.valid.data_ptr<bool>(),
                      sample.isPositive.data_ptr<bool>()};
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const auto imageCount = static_cast<unsigned>(images);
  if (parts > 1) {
    const dim3 grid(static_cast<unsigned>(parts), 2, imageCount);
    samplePartsKernel<<<grid, kSampleThreads, 0, stream>>>(job);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  }
  sampleKernel<<<imageCount, kSampleThreads, 0, stream>>>(job);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return sample;
}

}  // namespace lockstep::ops
