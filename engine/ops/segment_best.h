#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Letters: N images, A scores per image, K selected.
namespace lockstep::ops {

struct SegmentedTopK {
  at::Tensor indices;   ///< [N,K] int64, among the A
  at::Tensor segments;  ///< [N,K] int64, the segment of each
};

/// Segmented top-k: the highest min(most, size) scores of each segment, segment after segment, in
/// descending order, ties in input order. scores [N,A] of any floating type, compared as float32;
/// sizes: of the segments; the sum is A. The same result on every device; does not synchronise.
SegmentedTopK segmentedTopK(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                            std::int64_t most);

/// Kernels, without autograd.
using SegmentedTopKKernel = SegmentedTopK(const at::Tensor& scores,
                                          const std::vector<std::int64_t>& sizes,
                                          std::int64_t most);
namespace cpu {
SegmentedTopKKernel segmentedTopK;
}
namespace cuda {
SegmentedTopKKernel segmentedTopK;  ///< in two launches
inline constexpr std::int64_t kMostBest = 2048;
inline constexpr std::size_t kMostSegments = 8;
}  // namespace cuda

}  // namespace lockstep::ops
