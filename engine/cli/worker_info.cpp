#include "engine/cli/worker_info.h"

#include "engine/supervisor/one_shot_job.h"

namespace lockstep::cli {

protocol::InfoResult askWorkerInfo(const std::filesystem::path& workerProgram) {
  return supervisor::runOneShotJob(workerProgram, protocol::InfoJob());
}

supervisor::GpuSupport gpuSupport(const protocol::InfoResult& info) {
  return {info.cudaKernels, info.cudaArchitectures, info.usableGpus};
}

}  // namespace lockstep::cli
