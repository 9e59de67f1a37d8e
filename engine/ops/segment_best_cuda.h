#pragma once

#include "engine/ops/segment_best.h"

namespace lockstep::ops {

/// Whether bestOfSegmentsCuda can do this; only in programs built with LOCKSTEP_CUDA.
bool canSelectBestCuda(const std::vector<std::int64_t>& sizes, std::int64_t most);

/// bestOfSegments of CUDA tensors, arguments already checked, in two launches.
SegmentBest bestOfSegmentsCuda(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                               std::int64_t most);

}  // namespace lockstep::ops
