#include "engine/cli/machine_choice.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/supervisor/devices.h"
#include "engine/supervisor/machine.h"
#include "engine/supervisor/one_shot_job.h"

namespace lockstep::cli {
namespace {

/// Why no GPU can be used, or "". Only a machine with a GPU pays for asking the worker.
std::string whyNoGpu(const std::filesystem::path& workerProgram) {
  if (supervisor::findGpus().devices.empty()) return "NVML finds no GPU";
  protocol::Job job;
  job.kind = "info";
  const auto info = nlohmann::json::parse(supervisor::runOneShotJob(workerProgram, job));
  if (!info.value("cuda_kernels", false)) return "this build has no CUDA kernels";
  return info.value("usable_gpus", 0) > 0 ? "" : "LibTorch can use none of this machine's GPUs";
}

}  // namespace

void resolveMachine(config::Experiment& experiment, const std::filesystem::path& workerProgram) {
  config::RuntimeConfig& runtime = experiment.runtime;
  if (runtime.workers == 0) runtime.workers = 1;
  if (runtime.cpuThreads == 0) runtime.cpuThreads = supervisor::usableCores();
  if (runtime.device == "cpu") return;
  const std::string reason = whyNoGpu(workerProgram);
  if (runtime.device == "cuda" && !reason.empty()) {
    throw base::mendable("runtime.device: cuda cannot be had: " + reason +
                         "; set runtime.device to cpu or auto");
  }
  if (!reason.empty()) base::logInfo("engine", "device: the CPU (" + reason + ")");
  runtime.device = reason.empty() ? "cuda" : "cpu";
}

void checkWorkers(int workers) {
  if (workers < 1) {
    throw base::mendable("--workers " + std::to_string(workers) +
                         ": at least one rank is needed; leave it out or say 1");
  }
  if (workers != 1) {
    throw base::mendable("--workers " + std::to_string(workers) +
                         ": more than one rank is not built yet; leave it out or say 1");
  }
}

}  // namespace lockstep::cli
