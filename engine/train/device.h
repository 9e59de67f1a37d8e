#pragma once

#include <ATen/core/Tensor.h>

#include "engine/config/experiment.h"

namespace lockstep::train {

/// Resolves runtime.device (auto: a GPU if one and its kernels are available). On a GPU also sets
/// LibTorch's global flags: TF32 for precision tf32, deterministic algorithms for
/// runtime.deterministic; with cuda_graphs switches this thread to a non-default stream. Call
/// before the first kernel. `gpu`: its index. Throws UserError if the requested GPU is unavailable.
at::Device prepareDevice(const config::RuntimeConfig& runtime, int gpu = 0);

/// Threads of a rank that load images for the device. `machineRanks`: that share the machine's
/// cores.
int loaderThreads(const config::Experiment& experiment, const at::Device& device, int machineRanks);

}  // namespace lockstep::train
