#pragma once

#include <ATen/core/Tensor.h>

#include "engine/config/experiment.h"

namespace lockstep::train {

/// What the network computes in for `runtime.precision`. fp16 is for GPUs: what was trained so is
/// evaluated in float32 on a CPU, which has no quick fp16.
at::ScalarType computeType(const config::RuntimeConfig& runtime, const at::Device& device);

}  // namespace lockstep::train
