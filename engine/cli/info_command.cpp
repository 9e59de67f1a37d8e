#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/host.h"
#include "engine/base/number_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/nested_json.h"
#include "engine/cli/worker_info.h"
#include "engine/queue/device_locks.h"
#include "engine/queue/waiting_runs.h"
#include "engine/supervisor/devices.h"
#include "engine/supervisor/machine.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace {

std::string gibibytes(std::int64_t bytes) { return base::gibibytes(static_cast<double>(bytes)); }

void printDriver(const supervisor::Gpus& gpus) {
  if (gpus.driverVersion.empty()) return;
  std::printf("nvidia driver: %s", gpus.driverVersion.c_str());
  if (gpus.cudaVersion > 0)
    std::printf(", CUDA %s", supervisor::cudaVersionText(gpus.cudaVersion).c_str());
  std::printf("\n");
}

/// `support`: empty if the worker could not report it.
std::string useText(const supervisor::Gpus& gpus, const supervisor::GpuDevice& gpu,
                    const std::optional<supervisor::GpuSupport>& support) {
  if (!support) return "usability unknown";
  std::string reason = supervisor::whyUnusable(gpu, *support);
  if (reason.empty()) reason = supervisor::whyNoneUsable(gpus, *support);
  return reason.empty() ? "usable" : "unusable: " + reason;
}

void printGpus(const supervisor::Gpus& gpus, const std::optional<supervisor::GpuSupport>& support) {
  printDriver(gpus);
  if (gpus.devices.empty()) {
    std::printf("gpus: none (%s)\n", supervisor::whyNoneUsable(gpus, {}).c_str());
    return;
  }
  std::printf("gpus: %zu\n", gpus.devices.size());
  for (const supervisor::GpuDevice& gpu : gpus.devices) {
    std::printf("  %d: %s, compute capability %s, %s, %s free: %s\n", gpu.index, gpu.name.c_str(),
                supervisor::capabilityText(gpu.computeCapability).c_str(),
                gibibytes(gpu.memoryBytes).c_str(), gibibytes(gpu.freeBytes).c_str(),
                useText(gpus, gpu, support).c_str());
  }
}

void printWorker(const protocol::InfoResult& worker) {
  std::printf("libtorch: %s\ncpu capability: %s\ncuda kernels: %s\n", worker.libtorch.c_str(),
              worker.cpuCapability.c_str(), worker.cudaKernels ? "true" : "false");
  if (worker.cudaKernels) std::printf("cuda architectures: %s\n", worker.cudaArchitectures.c_str());
  std::printf("usable gpus: %d\n", worker.usableGpus);
}

/// The devices of this machine that runs train on, and the runs that wait.
void printUse(const std::vector<supervisor::GpuDevice>& gpus) {
  std::vector<queue::Device> devices;
  for (const supervisor::GpuDevice& gpu : gpus)
    devices.push_back({gpu.uuid, supervisor::gpuName(gpu)});
  devices.push_back(queue::kCpu);
  for (const queue::Device& device : devices) {
    for (const queue::Holder& holder : queue::holdersOf(device))
      std::printf("in use: %s by %s\n", device.name.c_str(), holder.text().c_str());
  }
  int position = 0;
  for (const queue::WaitingRun& run : queue::waitingRuns())
    std::printf("queued: %d: %s\n", ++position, run.run.c_str());
}

int printInfo() {
  std::printf("lockstep: %s\nhost: %s\ncpu cores: %d\nmemory: %s\n", LOCKSTEP_VERSION,
              base::hostName().c_str(), supervisor::usableCores(),
              gibibytes(supervisor::usableMemoryBytes()).c_str());
  std::fflush(stdout);
  const supervisor::Gpus gpus = supervisor::findGpus();
  try {
    const protocol::InfoResult worker = askWorkerInfo(supervisor::workerProgramBesideThis());
    printGpus(gpus, gpuSupport(worker));
    printWorker(worker);
    printUse(gpus.devices);
  } catch (const Error&) {
    printGpus(gpus, std::nullopt);  // the driver's report matters all the more
    std::fflush(stdout);
    throw;
  }
  return static_cast<int>(ExitStatus::Done);
}

/// For programs: memory of the machine and of its GPUs.
int printJson() {
  const supervisor::Gpus gpus = supervisor::findGpus();
  std::string text;
  NestedJson json(text);
  json.beginObject();
  json.member("memory_bytes", supervisor::usableMemoryBytes());
  json.objects("gpus", gpus.devices.size(), [&](std::size_t i) {
    json.member("name", supervisor::gpuName(gpus.devices[i]));
    json.member("memory_bytes", gpus.devices[i].memoryBytes);
  });
  json.endObject();
  std::printf("%s\n", text.c_str());
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addInfoCommand(Command& program) {
  Command command = program.command("info", "Print versions, processors and GPUs");
  const auto isJson = std::make_shared<bool>(false);
  command.flag("--json", *isJson,
               "Print memory of the machine and of its GPUs as JSON, without asking "
               "lockstep-worker");
  command.run([isJson] { return *isJson ? printJson() : printInfo(); });
}

}  // namespace lockstep::cli
