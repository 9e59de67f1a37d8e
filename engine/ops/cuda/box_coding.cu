#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstdint>

#include "engine/ops/box_coding_jobs.h"

namespace lockstep::ops {
namespace {

constexpr int kBoxThreads = 128;

template <typename Job>
__global__ void boxKernel(Job job) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < job.sizes.count()) job.run(i);
}

}  // namespace

template <typename Job>
void cuda::runJob(const Job& job, const c10::Device& device) {
  if (job.sizes.count() == 0) return;
  const c10::cuda::CUDAGuard guard(device);
  const auto blocks = static_cast<unsigned>((job.sizes.count() + kBoxThreads - 1) / kBoxThreads);
  boxKernel<<<blocks, kBoxThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(job);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

template void cuda::runJob(const EncodeJob&, const c10::Device&);
template void cuda::runJob(const DecodeJob<float>&, const c10::Device&);
template void cuda::runJob(const DecodeJob<double>&, const c10::Device&);
template void cuda::runJob(const DecodeJob<c10::Half>&, const c10::Device&);
template void cuda::runJob(const DecodeJob<c10::BFloat16>&, const c10::Device&);

}  // namespace lockstep::ops
