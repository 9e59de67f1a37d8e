#include "engine/ops/segment_best.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>

#include "engine/ops/ordered_bits.h"
#include "engine/ops/recorded_op.h"
#include "engine/ops/segment_best_cuda.h"
#include "engine/structures/tensor_block.h"

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

at::Tensor indicesOnCpu(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                        const std::vector<std::int64_t>& counts) {
  const at::Tensor all = scores.to(at::kFloat).contiguous();
  const auto segments = static_cast<std::int64_t>(sizes.size());
  const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  at::Tensor indices = at::empty({all.size(0), total}, at::kLong);
  std::vector<std::int64_t> first{0}, firstOut{0};
  std::partial_sum(sizes.begin(), sizes.end(), std::back_inserter(first));
  std::partial_sum(counts.begin(), counts.end(), std::back_inserter(firstOut));
  const auto* values = all.const_data_ptr<float>();
  auto* out = indices.data_ptr<std::int64_t>();
  at::parallel_for(0, all.size(0) * segments, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t image = i / segments, s = i % segments;
      bestOfOne(values + image * all.size(1) + first[s], sizes[s], counts[s], first[s],
                out + image * total + firstOut[s]);
    }
  });
  return indices;
}

/// On any device, for numbers that the kernels cannot do.
at::Tensor indicesBySorting(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                            const std::vector<std::int64_t>& counts) {
  std::vector<at::Tensor> best;
  std::int64_t first = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const at::Tensor own = scores.slice(1, first, first + sizes[s]).to(at::kFloat);
    const at::Tensor order = std::get<1>(own.sort(/*stable=*/true, 1, /*descending=*/true));
    best.push_back(order.slice(1, 0, counts[s]) + first);
    first += sizes[s];
  }
  return at::cat(best, 1);
}

at::Tensor segmentsOf(const std::vector<std::int64_t>& counts, const at::Tensor& indices) {
  std::vector<std::int64_t> segments;
  for (std::size_t s = 0; s < counts.size(); ++s)
    segments.insert(segments.end(), counts[s], static_cast<std::int64_t>(s));
  return structures::toDevice(segments, indices.device()).unsqueeze(0).expand_as(indices);
}

}  // namespace

SegmentBest bestOfSegments(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                           std::int64_t most) {
  LOCKSTEP_RECORD_OP("best_of_segments", scores, sizes, most);
  TORCH_CHECK(scores.dim() == 2 &&
                  scores.size(1) == std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}),
              "segments of ", sizes, " do not make up scores of ", scores.sizes());
  const at::Tensor values = scores.detach();
#ifdef LOCKSTEP_CUDA
  if (values.is_cuda() && canSelectBestCuda(sizes, most))
    return bestOfSegmentsCuda(values, sizes, most);
#endif
  std::vector<std::int64_t> counts;
  for (const std::int64_t size : sizes) counts.push_back(std::min(size, most));
  const at::Tensor indices = values.is_cpu() ? indicesOnCpu(values, sizes, counts)
                                             : indicesBySorting(values, sizes, counts);
  return {indices, segmentsOf(counts, indices)};
}

}  // namespace lockstep::ops
