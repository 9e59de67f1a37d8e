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

void printGpus() {
  const supervisor::Gpus gpus = supervisor::findGpus();
  if (gpus.driverVersion.empty()) {
    std::printf("gpus: none (no NVIDIA driver)\n");
    return;
  }
  std::printf("nvidia driver: %s\ngpus: %zu\n", gpus.driverVersion.c_str(), gpus.devices.size());
  for (const supervisor::GpuDevice& gpu : gpus.devices) {
    std::printf("  %d: %s, %s, %s free\n", gpu.index, gpu.name.c_str(),
                gibibytes(gpu.memoryBytes).c_str(), gibibytes(gpu.freeBytes).c_str());
  }
}

/// LibTorch's part: only the worker links it. What it says is printed as it comes.
void printWorkerInfo() {
  protocol::Job job;
  job.kind = "info";
  const auto info = nlohmann::ordered_json::parse(
      supervisor::runOneShotJob(supervisor::workerProgramBesideThis(), job));
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
  printGpus();
  std::fflush(stdout);
  printWorkerInfo();
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addInfoCommand(CLI::App& app, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand("info", "Versions, processors and GPUs");
  command->callback([&action] { action = printInfo; });
}

}  // namespace lockstep::cli
