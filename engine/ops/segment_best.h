#pragma once

#include <ATen/core/Tensor.h>

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

}  // namespace lockstep::ops
