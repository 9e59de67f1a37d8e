#pragma once

/// For functions shared by CUDA and CPU kernels. Their arithmetic is rounded after every operation
/// on both: C++ is built with -ffp-contract=off, and the .cu files that include it with
/// -fmad=false.
#ifdef __CUDACC__
#define LOCKSTEP_HOST_DEVICE __host__ __device__
#else
#define LOCKSTEP_HOST_DEVICE
#endif

/// Before a loop over an array that a kernel keeps in registers.
#ifdef __CUDACC__
#define LOCKSTEP_UNROLL _Pragma("unroll")
#else
#define LOCKSTEP_UNROLL
#endif
