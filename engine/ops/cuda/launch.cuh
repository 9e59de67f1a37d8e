#pragma once

#include <cstddef>
#include <cstdint>
#ifdef __CUDACC__
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace lockstep::ops {

/// The launch configuration of a kernel.
struct Launch {
  unsigned x = 1, y = 1, z = 1;  ///< blocks
  unsigned threads = 1;          ///< of a block
  std::size_t sharedBytes = 0;   ///< dynamic shared memory per block
};

/// The number of blocks for `count` elements (ceiling division).
inline unsigned blocksFor(std::int64_t count, std::int64_t ofBlock) {
  return static_cast<unsigned>((count + ofBlock - 1) / ofBlock);
}

#ifdef __CUDACC__
/// Launches a kernel on the current stream. Throws c10::Error if the launch fails.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), const Launch& how, Arguments&&... arguments) {
  kernel<<<dim3(how.x, how.y, how.z), how.threads, how.sharedBytes,
           c10::cuda::getCurrentCUDAStream()>>>(static_cast<Parameters>(arguments)...);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

/// Dynamic shared memory of a block, as an array of any type.
template <typename T>
__device__ T* dynamicShared() {
  extern __shared__ float4 lockstepShared[];
  return reinterpret_cast<T*>(lockstepShared);
}
#endif

}  // namespace lockstep::ops
