#pragma once

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include "engine/ops/launch.h"

namespace lockstep::ops {

/// Starts a kernel on the current stream. Throws c10::Error where it cannot be started.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), const Launch& how, Arguments&&... arguments) {
  kernel<<<dim3(how.x, how.y, how.z), how.threads, how.sharedBytes,
           c10::cuda::getCurrentCUDAStream()>>>(static_cast<Parameters>(arguments)...);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace lockstep::ops
