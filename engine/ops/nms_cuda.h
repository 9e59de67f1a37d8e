#pragma once

#include "engine/ops/nms.h"

/// NMS of CUDA tensors; only in programs built with LOCKSTEP_CUDA.
namespace lockstep::ops {

/// selectByNms of checked candidates without a wait for the device. A box goes when its IoU is
/// above `threshold`; as many slots an image.
Selection selectByNmsCuda(const NmsCandidates& candidates, float threshold, std::int64_t slots);

}  // namespace lockstep::ops
