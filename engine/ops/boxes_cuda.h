#pragma once

#include <c10/core/Device.h>

#include "engine/ops/box_jobs.h"

namespace lockstep::ops {

/// job.run(i) of all i on a CUDA device, in one launch; for EncodeJob and DecodeJob of the floating
/// types. Only in programs built with LOCKSTEP_CUDA.
template <typename Job>
void launchBoxJob(const Job& job, const c10::Device& device);

}  // namespace lockstep::ops
