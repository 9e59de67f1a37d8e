#include <ATen/Version.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <nlohmann/json.hpp>

#include "engine/worker/jobs.h"

namespace lockstep::worker {

protocol::Finished runInfo(const JobContext&) {
  nlohmann::ordered_json info{{"libtorch", TORCH_VERSION},
                              {"cpu_capability", at::get_cpu_capability()}};
#ifdef LOCKSTEP_CUDA
  info["cuda_kernels"] = true;
  info["cuda_architectures"] = LOCKSTEP_CUDA_ARCHITECTURES;
  info["usable_gpus"] = torch::cuda::device_count();
#else
  info["cuda_kernels"] = false;
  info["usable_gpus"] = 0;
#endif
  return {0, false, info.dump()};
}

}  // namespace lockstep::worker
