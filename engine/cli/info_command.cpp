#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/cli/commands.h"
#include "engine/supervisor/devices.h"
#include "engine/supervisor/machine.h"
#include "engine/supervisor/one_shot_job.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace {

std::string gibibytes(std::int64_t bytes) { return base::gibibytes(static_cast<double>(bytes)); }

/// LibTorch's part: only the worker links it.
nlohmann::ordered_json askWorker() {
  protocol::Job job;
  job.kind = "info";
  return nlohmann::ordered_json::parse(
      supervisor::runOneShotJob(supervisor::workerProgramBesideThis(), job));
}

void printGpus(const supervisor::Gpus& gpus, const supervisor::GpuNeeds& needs) {
  if (gpus.driverVersion.empty()) {
    std::printf("gpus: none (%s)\n", supervisor::whyNoneUsable(gpus, needs).c_str());
    return;
  }
  std::printf("nvidia driver: %s", gpus.driverVersion.c_str());
  if (gpus.cudaVersion > 0)
    std::printf(", CUDA %s", supervisor::cudaVersionText(gpus.cudaVersion).c_str());
  std::printf("\ngpus: %zu\n", gpus.devices.size());
  const std::string ofAll = supervisor::whyNoneUsable(gpus, needs);
  for (const supervisor::GpuDevice& gpu : gpus.devices) {
    const std::string own = supervisor::whyUnusable(gpu, needs);
    const std::string& reason = own.empty() ? ofAll : own;
    std::printf("  %d: %s, compute capability %s, %s, %s free: %s%s\n", gpu.index, gpu.name.c_str(),
                supervisor::capabilityText(gpu.computeCapability).c_str(),
                gibibytes(gpu.memoryBytes).c_str(), gibibytes(gpu.freeBytes).c_str(),
                reason.empty() ? "can be used" : "cannot be used: ", reason.c_str());
  }
}

/// What the worker says is printed as it comes.
void printWorkerInfo(const nlohmann::ordered_json& info) {
  for (const auto& [name, value] : info.items()) {
    std::string label = name;
    std::replace(label.begin(), label.end(), '_', ' ');
    std::printf("%s: %s\n", label.c_str(),
                value.is_string() ? value.get<std::string>().c_str() : value.dump().c_str());
  }
}

int printInfo() {
  std::printf("lockstep: %s\nhost: %s\ncpu cores: %d\nmemory: %s\n", LOCKSTEP_VERSION,
              supervisor::hostName().c_str(), supervisor::usableCores(),
              gibibytes(supervisor::usableMemoryBytes()).c_str());
  std::fflush(stdout);
  const auto info = askWorker();
  printGpus(supervisor::findGpus(),
            {info.value("cuda_kernels", false), info.value("cuda_architectures", "")});
  printWorkerInfo(info);
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addInfoCommand(CLI::App& app, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand("info", "Versions, processors and GPUs");
  command->callback([&action] { action = printInfo; });
}

}  // namespace lockstep::cli
