#pragma once

/// Shared memory of a block whose size its launch gives: one array, of whatever type a kernel asks
/// for.
namespace lockstep::ops {

#ifdef __CUDACC__
template <typename T>
__device__ T* dynamicShared() {
  extern __shared__ float4 lockstepShared[];
  return reinterpret_cast<T*>(lockstepShared);
}
#endif

}  // namespace lockstep::ops
