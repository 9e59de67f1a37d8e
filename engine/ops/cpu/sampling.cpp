#include "engine/ops/sampling.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "engine/base/counter_hash.h"

namespace lockstep::ops {
namespace {

struct KeyedIndex {
  std::uint64_t key;
  std::int64_t index;
  auto operator<=>(const KeyedIndex&) const = default;
};

/// One image: writes what is chosen and returns how many that are.
std::int64_t selectOne(const bool* isCandidate, const std::int64_t* numbers, std::int64_t size,
                       std::uint64_t key, std::int64_t count, std::int64_t* chosen) {
  std::vector<KeyedIndex> candidates;
  for (std::int64_t i = 0; i < size; ++i) {
    if (!isCandidate[i]) continue;
    const auto number = static_cast<std::uint64_t>(numbers != nullptr ? numbers[i] : i);
    // 63 bits: keys that are compared as signed numbers give the same choice.
    candidates.push_back({base::counterHash({key, number}) >> 1, i});
  }
  const auto found = std::min(count, static_cast<std::int64_t>(candidates.size()));
  std::partial_sort(candidates.begin(), candidates.begin() + found, candidates.end());
  for (std::int64_t i = 0; i < found; ++i)
    chosen[i] = candidates[static_cast<std::size_t>(i)].index;
  return found;
}

}  // namespace

Selection cpu::selectSmallestKeys(const at::Tensor& isCandidate, std::int64_t count,
                                  const std::vector<std::uint64_t>& keys,
                                  const at::Tensor& numbers) {
  const at::Tensor mask = isCandidate.to(at::kBool).contiguous();
  const at::Tensor names = numbers.defined() ? numbers.contiguous() : numbers;
  const std::int64_t images = mask.size(0), size = mask.size(1);
  Selection selection{at::zeros({images, count}, at::kLong), at::zeros({images, count}, at::kBool)};
  auto* chosen = selection.indices.data_ptr<std::int64_t>();
  bool* valid = selection.valid.data_ptr<bool>();
  at::parallel_for(0, images, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const std::int64_t found =
          selectOne(mask.const_data_ptr<bool>() + n * size,
                    names.defined() ? names.const_data_ptr<std::int64_t>() + n * size : nullptr,
                    size, keys[static_cast<std::size_t>(n)], count, chosen + n * count);
      std::fill_n(valid + n * count, found, true);
    }
  });
  return selection;
}

}  // namespace lockstep::ops
