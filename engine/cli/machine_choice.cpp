#include "engine/cli/machine_choice.h"

#include <algorithm>
#include <set>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/number_text.h"
#include "engine/cli/precision_choice.h"
#include "engine/cli/worker_info.h"
#include "engine/config/load.h"
#include "engine/supervisor/devices.h"
#include "engine/supervisor/machine.h"

namespace lockstep::cli {
namespace {

using config::Backend;
using config::Device;
using supervisor::LocalRanks;

std::string ranksText(int count) {
  return base::counted(static_cast<std::uint64_t>(count), "rank");
}

/// The GPUs of this machine, in CUDA's order.
struct MachineGpus {
  std::vector<supervisor::GpuDevice> all{};
  std::vector<int> usable{};  ///< indices into `all`
  supervisor::GpuSupport support{};
  std::vector<std::string> notes{};

  int count() const { return static_cast<int>(all.size()); }
  int usableCount() const { return static_cast<int>(usable.size()); }
};

/// Finds the GPUs and which of them are usable. Returns why none is, or "". Starts a worker to ask
/// it only on a machine with a GPU.
std::string findUsable(MachineGpus& found, const std::filesystem::path& workerProgram) {
  const supervisor::Gpus gpus = supervisor::findGpus();
  if (gpus.devices.empty()) return supervisor::whyNoneUsable(gpus, {});
  found = {gpus.devices, {}, gpuSupport(askWorkerInfo(workerProgram)), {}};
  const std::string reason = supervisor::whyNoneUsable(gpus, found.support);
  if (!reason.empty()) return reason;
  for (int index = 0; index < found.count(); ++index) {
    const std::string unusable = supervisor::whyUnusable(found.all[index], found.support);
    if (unusable.empty()) {
      found.usable.push_back(index);
    } else {
      found.notes.push_back("not used: " + unusable);
    }
  }
  return {};
}

/// Resolves `device: auto` to cuda or cpu. Returns the GPUs, which are looked for unless the device
/// is the CPU.
MachineGpus resolveDevice(config::RuntimeConfig& runtime,
                          const std::filesystem::path& workerProgram, bool startsEveryRank) {
  MachineGpus gpus;
  if (runtime.device != Device::Cpu) {
    const std::string reason = findUsable(gpus, workerProgram);
    if (runtime.device == Device::Cuda && !reason.empty()) {
      throw UserError("runtime.device: cuda is not available (" + reason +
                      "); set it to cpu or auto");
    }
    if (startsEveryRank) gpus.notes.clear();  // the launcher has assigned this rank its GPU
    if (!reason.empty()) gpus.notes = {"device: the CPU (" + reason + ")"};
    for (const std::string& note : gpus.notes) base::logInfo("engine", note);
    runtime.device = reason.empty() ? Device::Cuda : Device::Cpu;
  }
  if (runtime.device == Device::Cpu && runtime.backend == Backend::Nccl) {
    throw UserError(
        "runtime.backend: nccl is for GPUs, and the training is on the CPU: set it to auto or "
        "gloo");
  }
  return gpus;
}

int chooseCount(const config::RuntimeConfig& runtime, const RankRequest& request,
                const MachineGpus& gpus) {
  if (request.cluster.startsEveryRank) return 1;
  if (request.workers) return *request.workers;
  // Under a launcher each node decides for itself; only node 0 has read the experiment.
  if (request.cluster.launcher.empty() && runtime.workers > 0) return runtime.workers;
  if (runtime.device != Device::Cuda) return 1;
  return runtime.devices.empty() ? gpus.usableCount() : static_cast<int>(runtime.devices.size());
}

void refuseDevices(const config::RuntimeConfig& runtime, const LocalRanks& ranks,
                   const MachineGpus& gpus) {
  const auto& devices = runtime.devices;
  if (!ranks.cluster.launcher.empty()) {
    throw UserError("runtime.devices: is only for one machine without a launcher: under " +
                    ranks.cluster.launcher + " choose GPUs with CUDA_VISIBLE_DEVICES");
  }
  const int listed = static_cast<int>(devices.size());
  if (ranks.count > listed) {
    throw UserError("runtime.devices: lists " + std::to_string(listed) + " for " +
                    ranksText(ranks.count) + ": list one per rank, or use fewer ranks");
  }
  if (runtime.device != Device::Cuda) return;
  const int largest = *std::max_element(devices.begin(), devices.end());
  if (largest >= gpus.count()) {
    throw UserError("runtime.devices: " + std::to_string(largest) +
                    ": no such GPU; the GPUs are 0 to " + std::to_string(gpus.count() - 1));
  }
  for (const auto index : devices) {
    const std::string unusable = supervisor::whyUnusable(gpus.all[index], gpus.support);
    if (!unusable.empty())
      throw UserError("runtime.devices: " + unusable + "; remove it from the list");
  }
  const std::set<int> used(devices.begin(), devices.begin() + ranks.count);
  if (runtime.backend != Backend::Gloo && static_cast<int>(used.size()) < ranks.count) {
    throw UserError(
        "runtime.devices: the same GPU is listed for two ranks, which NCCL does not support: list "
        "different GPUs, or set runtime.backend to gloo");
  }
}

/// Every rank holds a copy of the model and its threads: a typo must not exhaust the machine.
void refuseTooMany(int count) {
  constexpr int kMostPerCore = 8;
  const int cores = supervisor::usableCores();
  if (count <= kMostPerCore * cores) return;
  throw UserError(ranksText(count) + " on the CPU: the " +
                  base::counted(static_cast<std::uint64_t>(cores), "core") +
                  " of this machine allow at most " + std::to_string(kMostPerCore * cores) +
                  ": use fewer (--workers, runtime.workers)");
}

/// The GPU index of a launcher's rank: 0 where the launcher makes only one GPU visible to each
/// rank.
int gpuOfLocalRank(const supervisor::ClusterEnvironment& cluster, int gpus) {
  return gpus == 1 ? 0 : cluster.localRank;
}

/// One rank cannot fall back to the CPU while the other ranks use GPUs.
void refuseUnusableGpu(const supervisor::ClusterEnvironment& cluster, int gpu,
                       const MachineGpus& gpus) {
  const std::string rank = cluster.launcher + "'s local rank " + std::to_string(cluster.localRank);
  if (gpu >= gpus.count()) {
    throw UserError(rank + " has no GPU: this machine has " + std::to_string(gpus.count()) +
                    "; start at most one rank per GPU, or set runtime.device to cpu");
  }
  const std::string unusable = supervisor::whyUnusable(gpus.all[gpu], gpus.support);
  if (unusable.empty()) return;
  throw UserError(rank + " cannot use its GPU: " + unusable +
                  "; list the usable GPUs in CUDA_VISIBLE_DEVICES, and start one rank per GPU");
}

/// The indices of the ranks' GPUs, in CUDA's order.
std::vector<int> chooseGpus(const config::RuntimeConfig& runtime, const LocalRanks& ranks,
                            const MachineGpus& gpus) {
  if (!runtime.devices.empty()) {
    refuseDevices(runtime, ranks, gpus);
    return {runtime.devices.begin(), runtime.devices.begin() + ranks.count};
  }
  if (ranks.cluster.startsEveryRank) {
    const int gpu = gpuOfLocalRank(ranks.cluster, gpus.count());
    if (runtime.device == Device::Cuda) refuseUnusableGpu(ranks.cluster, gpu, gpus);
    return {gpu};
  }
  if (runtime.device != Device::Cuda) return {};
  if (ranks.count > gpus.usableCount()) {
    throw UserError(ranksText(ranks.count) + " need as many GPUs, and " +
                    std::to_string(gpus.usableCount()) +
                    " can be used here: use fewer ranks (--workers, runtime.workers), or list one "
                    "GPU per rank in runtime.devices");
  }
  return {gpus.usable.begin(), gpus.usable.begin() + ranks.count};
}

/// The driver's description of the chosen GPUs.
std::vector<supervisor::GpuDevice> chosenDevices(const std::vector<int>& indices,
                                                 const std::vector<supervisor::GpuDevice>& all) {
  std::vector<supervisor::GpuDevice> devices;
  for (const int index : indices) {
    if (index >= static_cast<int>(all.size())) return {};
    devices.push_back(all[index]);
  }
  return devices;
}

void logIgnoredSettings(const config::RuntimeConfig& runtime, const LocalRanks& ranks) {
  const std::string& launcher = ranks.cluster.launcher;
  if (launcher.empty()) return;
  if (runtime.workers > 0 && runtime.workers != ranks.worldSize()) {
    base::logInfo("engine", "runtime.workers: " + std::to_string(runtime.workers) +
                                " is ignored: " + launcher + " starts " +
                                ranksText(ranks.worldSize()));
  }
  if (runtime.maxRestarts > 0)
    base::logInfo("engine", "runtime.max_restarts: is ignored: restarts are left to " + launcher);
}

/// Called on rank 0's machine only, which decides for all ranks.
void resolvePrecision(config::RuntimeConfig& runtime, LocalRanks& ranks) {
  const auto [precision, why] = choosePrecision(runtime, ranks.devices);
  runtime.precision = precision;
  if (why.empty()) return;
  ranks.choiceLines.push_back(std::string("precision: ") + base::textOf(precision) + " (" + why +
                              ")");
  base::logInfo("engine", ranks.choiceLines.back());
}

}  // namespace

supervisor::LocalRanks resolveMachine(config::Experiment& experiment,
                                      const std::filesystem::path& workerProgram,
                                      const RankRequest& request) {
  config::RuntimeConfig& runtime = experiment.runtime;
  checkWorkers(request);
  const bool isWarned = runtime.device == Device::Cpu;  // crossChecks() did
  const MachineGpus gpus = resolveDevice(runtime, workerProgram, request.cluster.startsEveryRank);
  LocalRanks ranks{request.cluster, chooseCount(runtime, request, gpus)};
  if (runtime.device == Device::Cpu && !request.cluster.startsEveryRank) refuseTooMany(ranks.count);
  ranks.gpus = chooseGpus(runtime, ranks, gpus);
  ranks.choiceLines = gpus.notes;
  if (runtime.device == Device::Cuda) ranks.devices = chosenDevices(ranks.gpus, gpus.all);
  resolvePrecision(runtime, ranks);
  if (runtime.device == Device::Cpu && !isWarned)
    for (const config::ConfigIssue& issue : config::ignoredOnCpu(runtime))
      base::logWarning("engine", issue.key + ": " + issue.text);
  logIgnoredSettings(runtime, ranks);
  runtime.workers = ranks.worldSize();
  if (runtime.cpuThreads == 0)
    runtime.cpuThreads = std::max(supervisor::usableCores() / ranks.countOnMachine(), 1);
  return ranks;
}

std::vector<supervisor::GpuDevice> expectedDevices(const config::RuntimeConfig& runtime) {
  if (runtime.device == Device::Cpu) return {};
  const supervisor::Gpus gpus = supervisor::findGpus();
  const int count = static_cast<int>(gpus.devices.size());
  const supervisor::GpuSupport supposed{true, {}, count};
  if (!supervisor::whyNoneUsable(gpus, supposed).empty()) return {};
  std::vector<int> indices(runtime.devices.begin(), runtime.devices.end());
  for (int index = 0; runtime.devices.empty() && index < count; ++index)
    if (supervisor::whyUnusable(gpus.devices[index], supposed).empty()) indices.push_back(index);
  if (runtime.workers > 0 && runtime.workers < static_cast<int>(indices.size()))
    indices.resize(static_cast<std::size_t>(runtime.workers));
  return chosenDevices(indices, gpus.devices);
}

supervisor::LocalRanks ranksOfFollower(const RankRequest& request) {
  checkWorkers(request);
  const auto all = supervisor::findGpus().devices;
  const int gpus = static_cast<int>(all.size());
  LocalRanks ranks{request.cluster, request.workers.value_or(std::max(gpus, 1))};
  if (gpus == 0 && !request.cluster.startsEveryRank) refuseTooMany(ranks.count);
  if (request.cluster.startsEveryRank) {
    ranks.count = 1;
    ranks.gpus = {gpuOfLocalRank(request.cluster, gpus)};
  } else {
    for (int index = 0; index < ranks.count; ++index) ranks.gpus.push_back(index);
  }
  ranks.devices = chosenDevices(ranks.gpus, all);
  return ranks;
}

void checkWorkers(const RankRequest& request) {
  if (!request.workers) return;
  const std::string option = "--workers " + std::to_string(*request.workers) + ": ";
  if (*request.workers < 1)
    throw UserError(option + "at least one rank is needed; omit the option or give 1");
  if (request.cluster.startsEveryRank && *request.workers != 1) {
    throw UserError(option + request.cluster.launcher +
                    " starts lockstep-engine once per rank: omit the option");
  }
}

}  // namespace lockstep::cli
