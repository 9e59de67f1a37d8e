#pragma once

#include <ATen/core/Tensor.h>
#ifdef LOCKSTEP_CUDA
#include <c10/cuda/CUDAFunctions.h>
#endif

namespace lockstep::gpu {

/// Throws on every synchronisation with the device that LibTorch detects.
class NoWaiting {
 public:
  explicit NoWaiting(const at::Device& device) {
#ifdef LOCKSTEP_CUDA
    if (device.is_cuda())
      c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_ERROR);
#else
    static_cast<void>(device);
#endif
  }
  ~NoWaiting() {
#ifdef LOCKSTEP_CUDA
    c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
#endif
  }
  NoWaiting(const NoWaiting&) = delete;
};

}  // namespace lockstep::gpu
