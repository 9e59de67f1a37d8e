#pragma once

#include <ATen/core/Tensor.h>

#include "engine/config/experiment.h"

namespace lockstep::train {

/// The device of `runtime.device`: auto is a GPU where one and its kernels are there. On a GPU it
/// also sets process-wide flags of LibTorch: TF32 with `runtime.precision: tf32` alone, and with
/// `runtime.deterministic` only algorithms that give the same bits every time. With
/// `runtime.cuda_graphs` another stream than the default one becomes this thread's. To be called
/// before the first kernel. `gpu`: its index. Throws UserError when a GPU is asked for and
/// is not there.
at::Device prepareDevice(const config::RuntimeConfig& runtime, int gpu = 0);

/// Threads of a rank that load images for the device. `machineRanks`: that share the machine's
/// cores.
int loaderThreads(const config::Experiment& experiment, const at::Device& device, int machineRanks);

}  // namespace lockstep::train
