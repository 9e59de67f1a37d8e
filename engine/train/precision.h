#pragma once

#include <ATen/core/Tensor.h>

#include "engine/config/experiment.h"

namespace lockstep::train {

/// The dtype of forward and backward passes for `runtime.precision`. fp16 is for GPUs: on a CPU,
/// where it is slow, a model trained in fp16 is evaluated in float32.
at::ScalarType computeType(const config::RuntimeConfig& runtime, const at::Device& device);

}  // namespace lockstep::train
