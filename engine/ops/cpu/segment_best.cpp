#include "engine/ops/segment_best.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "engine/ops/ordered_bits.h"

namespace lockstep::ops {
namespace {

/// Writes the indices of the highest `count` scores. A word holds a score and, for ties, its index.
void bestOfOne(const float* scores, std::int64_t size, std::int64_t count, std::int64_t first,
               std::int64_t* out) {
  std::vector<std::uint64_t> words(size);
  for (std::int64_t i = 0; i < size; ++i)
    words[i] = std::uint64_t{descendingBits(scores[i])} << 32 | static_cast<std::uint64_t>(i);
  if (count < size) std::nth_element(words.begin(), words.begin() + count, words.end());
  std::sort(words.begin(), words.begin() + count);
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = first + static_cast<std::int64_t>(words[i] & 0xffffffffU);
}

}  // namespace

SegmentedTopK cpu::segmentedTopK(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                                 std::int64_t most) {
  const at::Tensor all = scores.to(at::kFloat).contiguous();
  const auto segments = static_cast<std::int64_t>(sizes.size());
  std::vector<std::int64_t> first{0}, firstOut{0};
  for (const std::int64_t size : sizes) {
    first.push_back(first.back() + size);
    firstOut.push_back(firstOut.back() + std::min(size, most));
  }
  const std::int64_t total = firstOut.back();
  SegmentedTopK best{at::empty({all.size(0), total}, at::kLong),
                     at::empty({all.size(0), total}, at::kLong)};
  at::parallel_for(0, all.size(0) * segments, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t image = i / segments, s = i % segments;
      const std::int64_t place = image * total + firstOut[s], count = firstOut[s + 1] - firstOut[s];
      bestOfOne(all.const_data_ptr<float>() + image * all.size(1) + first[s], sizes[s], count,
                first[s], best.indices.data_ptr<std::int64_t>() + place);
      std::fill_n(best.segments.data_ptr<std::int64_t>() + place, count, s);
    }
  });
  return best;
}

}  // namespace lockstep::ops
