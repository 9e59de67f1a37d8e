#include "engine/ops/sampling.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "engine/base/counter_hash.h"
#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"
#include "engine/structures/tensor_block.h"

namespace lockstep::ops {
namespace {

constexpr std::int64_t kLargestKey = std::numeric_limits<std::int64_t>::max();

constexpr DispatchStub<SelectSmallestKeysKernel> kSelectStub{cpu::selectSmallestKeys, nullptr};
constexpr DispatchStub<SampleBalancedKernel> kSampleStub{
    nullptr, LOCKSTEP_CUDA_KERNEL(cuda::sampleBalanced)};

/// words >> bits with zeros coming in; tensors only have the signed shift.
at::Tensor shiftRight(const at::Tensor& words, int bits) {
  return words.bitwise_right_shift(bits).bitwise_and((std::int64_t{1} << (64 - bits)) - 1);
}

/// base::mixBits of each element; int64 arithmetic wraps.
at::Tensor mixBits(at::Tensor words) {
  words = words + static_cast<std::int64_t>(0x9e3779b97f4a7c15ULL);
  words =
      words.bitwise_xor(shiftRight(words, 30)) * static_cast<std::int64_t>(0xbf58476d1ce4e5b9ULL);
  words =
      words.bitwise_xor(shiftRight(words, 27)) * static_cast<std::int64_t>(0x94d049bb133111ebULL);
  return words.bitwise_xor(shiftRight(words, 31));
}

Selection selectByOperators(const at::Tensor& isCandidate, std::int64_t count,
                            const std::vector<std::uint64_t>& keys, const at::Tensor& numbers) {
  std::vector<std::int64_t> firsts;
  for (const std::uint64_t key : keys)
    firsts.push_back(static_cast<std::int64_t>(base::mixBits(key)));
  const at::Tensor first = structures::toDevice(firsts, isCandidate.device()).unsqueeze(1);
  const at::Tensor names =
      numbers.defined()
          ? numbers
          : at::arange(isCandidate.size(1), first.options().pinned_memory(false)).unsqueeze(0);
  const at::Tensor hashed = shiftRight(mixBits(names.bitwise_xor(first)), 1)
                                .masked_fill(isCandidate.logical_not(), kLargestKey);
  const auto [smallest, chosen] = hashed.topk(count, 1, /*largest=*/false);
  return {chosen, smallest != kLargestKey};
}

}  // namespace

Selection selectSmallestKeys(const at::Tensor& isCandidate, std::int64_t count,
                             const std::vector<std::uint64_t>& keys, const at::Tensor& numbers) {
  TORCH_CHECK(
      isCandidate.dim() == 2 && isCandidate.size(0) == static_cast<std::int64_t>(keys.size()),
      "isCandidate must be [", keys.size(), ",A], got ", isCandidate.sizes());
  const std::int64_t size = std::min(count, isCandidate.size(1));
  const at::Device device = isCandidate.device();
  return kSelectStub.hasKernelFor(device)
             ? kSelectStub(device, isCandidate, size, keys, numbers)
             : selectByOperators(isCandidate.to(at::kBool), size, keys, numbers);
}

BalancedSelection sampleBalanced(const at::Tensor& labels, const SampleCounts& counts,
                                 const SamplingKeys& keys, const at::Tensor& numbers) {
  LOCKSTEP_RECORD_FUNCTION("sample_balanced", labels, counts.total);
  TORCH_CHECK(labels.dim() == 2 && keys.positive.size() == keys.negative.size() &&
                  labels.size(0) == static_cast<std::int64_t>(keys.positive.size()),
              "labels must be [", keys.positive.size(), ",A], got ", labels.sizes());
  const std::int64_t total = std::min(counts.total, labels.size(1));
  if (kSampleStub.hasKernelFor(labels.device()) && total <= cuda::kMostSampled)
    return kSampleStub(labels.device(), labels, counts, keys, numbers);
  const Selection positives =
      selectSmallestKeys(labels > 0, counts.mostPositives(), keys.positive, numbers);
  const Selection negatives = selectSmallestKeys(labels == 0, total, keys.negative, numbers);
  const at::Tensor slots = at::arange(total, positives.indices.options()).unsqueeze(0);
  const at::Tensor positiveCount = positives.valid.sum(1, /*keepdim=*/true);
  const at::Tensor isPositive = slots < positiveCount;
  // Slot s holds positive s, or after the last of these the negatives from the first on.
  const at::Tensor negative = (slots - positiveCount).clamp_min(0);
  BalancedSelection chosen;
  chosen.isPositive = isPositive;
  chosen.valid = isPositive.logical_or(negatives.valid.gather(1, negative));
  chosen.indices = negatives.indices.gather(1, negative);
  if (const std::int64_t most = positives.size(); most > 0) {
    const at::Tensor ofSlot =
        positives.indices.gather(1, slots.clamp_max(most - 1).expand_as(isPositive));
    chosen.indices = at::where(isPositive, ofSlot, chosen.indices);
  }
  return chosen;
}

}  // namespace lockstep::ops
