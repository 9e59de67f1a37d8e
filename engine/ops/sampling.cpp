#include "engine/ops/sampling.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "engine/base/counter_hash.h"

namespace lockstep::ops {
namespace {

constexpr std::int64_t kLargestKey = std::numeric_limits<std::int64_t>::max();

struct KeyedIndex {
  std::uint64_t key;
  std::int64_t index;
  auto operator<=>(const KeyedIndex&) const = default;
};

Sample sampleOnCpu(const at::Tensor& isCandidate, std::int64_t count, std::uint64_t key) {
  const at::Tensor mask = isCandidate.to(at::kBool).contiguous();
  const bool* isIn = mask.const_data_ptr<bool>();
  std::vector<KeyedIndex> candidates;
  for (std::int64_t i = 0; i < mask.size(0); ++i) {
    // 63 bits: keys that are compared as signed numbers give the same choice.
    if (isIn[i]) candidates.push_back({base::counterHash({key, std::uint64_t(i)}) >> 1, i});
  }
  const auto chosen = std::min<std::int64_t>(count, candidates.size());
  std::nth_element(candidates.begin(), candidates.begin() + chosen, candidates.end());
  std::sort(candidates.begin(), candidates.begin() + chosen,
            [](const KeyedIndex& a, const KeyedIndex& b) { return a.index < b.index; });
  Sample sample{at::zeros({count}, at::kLong), at::zeros({count}, at::kBool)};
  for (std::int64_t i = 0; i < chosen; ++i) {
    sample.indices.data_ptr<std::int64_t>()[i] = candidates[i].index;
    sample.valid.data_ptr<bool>()[i] = true;
  }
  return sample;
}

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

Sample sampleOnDevice(const at::Tensor& isCandidate, std::int64_t count, std::uint64_t key) {
  const at::Tensor indices =
      at::arange(isCandidate.size(0), isCandidate.options().dtype(at::kLong));
  const auto first = static_cast<std::int64_t>(base::mixBits(key));
  const at::Tensor keys = shiftRight(mixBits(indices.bitwise_xor(first)), 1)
                              .masked_fill(isCandidate.logical_not(), kLargestKey);
  const auto [smallest, chosen] = keys.topk(count, 0, /*largest=*/false);
  return {chosen, smallest != kLargestKey};
}

}  // namespace

at::Tensor Sample::compact() const {
  // The CPU's choice is in order already, valid ones first.
  if (indices.is_cpu()) return indices.slice(0, 0, valid.sum().item<std::int64_t>());
  return std::get<0>(indices.masked_select(valid).sort());
}

Sample sampleSmallestKeys(const at::Tensor& isCandidate, std::int64_t count, std::uint64_t key) {
  TORCH_CHECK(isCandidate.dim() == 1, "isCandidate must be [A], got ", isCandidate.sizes());
  const std::int64_t size = std::min(count, isCandidate.size(0));
  return isCandidate.is_cpu() ? sampleOnCpu(isCandidate, size, key)
                              : sampleOnDevice(isCandidate.to(at::kBool), size, key);
}

BalancedSample sampleBalanced(const at::Tensor& labels, const SampleCounts& counts,
                              std::uint64_t positiveKey, std::uint64_t negativeKey) {
  const auto mostPositives =
      static_cast<std::int64_t>(static_cast<double>(counts.total) * counts.positiveFraction);
  const Sample positives = sampleSmallestKeys(labels > 0, mostPositives, positiveKey);
  if (labels.is_cpu()) {
    const std::int64_t rest = counts.total - positives.compact().size(0);
    return {positives, sampleSmallestKeys(labels == 0, rest, negativeKey)};
  }
  // The device's choice is sorted by key, so that its first ones are what a smaller count would
  // have chosen.
  Sample negatives = sampleSmallestKeys(labels == 0, counts.total, negativeKey);
  const at::Tensor rank = at::arange(negatives.indices.size(0), negatives.indices.options());
  negatives.valid = negatives.valid.logical_and(rank < counts.total - positives.valid.sum());
  return {positives, negatives};
}

}  // namespace lockstep::ops
