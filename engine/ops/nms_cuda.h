#pragma once

#include "engine/ops/nms.h"

/// NMS of CUDA tensors; only in programs built with LOCKSTEP_CUDA.
namespace lockstep::ops {

/// selectByNms without a wait for the device.
Selection selectByNmsCuda(const NmsCandidates& candidates, double iouThreshold, std::int64_t most);

}  // namespace lockstep::ops
