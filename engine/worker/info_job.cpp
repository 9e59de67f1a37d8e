#include <ATen/Version.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include "engine/worker/jobs.h"

namespace lockstep::worker {

protocol::Finished run(const protocol::InfoJob&, const JobContext&) {
  protocol::InfoResult info{.libtorch = TORCH_VERSION, .cpuCapability = at::get_cpu_capability()};
#ifdef LOCKSTEP_CUDA
  info.cudaKernels = true;
  info.cudaArchitectures = LOCKSTEP_CUDA_ARCHITECTURES;
  info.usableGpus = static_cast<int>(torch::cuda::device_count());
#endif
  return {.result = std::move(info)};
}

}  // namespace lockstep::worker
