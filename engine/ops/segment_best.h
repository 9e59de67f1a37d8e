#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Letters: N images, A scores of an image, K best ones.
namespace lockstep::ops {

struct SegmentBest {
  at::Tensor indices;   ///< [N,K] int64, among the A
  at::Tensor segments;  ///< [N,K] int64, the segment of each
};

/// The highest min(most, size) scores of each segment, segment after segment, the highest first,
/// equal ones in their order. scores [N,A] of any floating type, compared as float32; sizes: of the
/// segments, whose sum is A. The same on every device; does not wait for it.
SegmentBest bestOfSegments(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                           std::int64_t most);

/// Kernels, of scores without a graph.
using BestOfSegmentsKernel = SegmentBest(const at::Tensor& scores,
                                         const std::vector<std::int64_t>& sizes, std::int64_t most);
namespace cpu {
BestOfSegmentsKernel bestOfSegments;
}
namespace cuda {
BestOfSegmentsKernel bestOfSegments;  ///< in two launches
inline constexpr std::int64_t kMostBest = 2048;
inline constexpr std::size_t kMostSegments = 8;
}  // namespace cuda

}  // namespace lockstep::ops
