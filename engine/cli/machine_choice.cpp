#include "engine/cli/machine_choice.h"

#include <algorithm>
#include <set>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/number_text.h"
#include "engine/cli/precision_choice.h"
#include "engine/cli/worker_info.h"
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
  std::vector<int> usable{};  ///< places in `all`
  supervisor::GpuSupport support{};
  std::vector<std::string> remarks{};

  int count() const { return static_cast<int>(all.size()); }
  int usableCount() const { return static_cast<int>(usable.size()); }
};

/// Finds the GPUs and which of them can be used. Returns why none can, or "". Only a machine with a
/// GPU pays for asking the worker.
std::string findUsable(MachineGpus& found, const std::filesystem::path& workerProgram) {
  const supervisor::Gpus gpus = supervisor::findGpus();
  if (gpus.devices.empty()) return supervisor::whyNoneUsable(gpus, {});
  found = {gpus.devices, {}, gpuSupport(askWorkerInfo(workerProgram)), {}};
  const std::string reason = supervisor::whyNoneUsable(gpus, found.support);
  if (!reason.empty()) return reason;
  for (int place = 0; place < found.count(); ++place) {
    const std::string unfit = supervisor::whyUnusable(found.all[place], found.support);
    if (unfit.empty()) {
      found.usable.push_back(place);
    } else {
      found.remarks.push_back("not used: " + unfit);
    }
  }
  return {};
}

/// What GPUs there are is found where the device is one.
MachineGpus resolveDevice(config::RuntimeConfig& runtime,
                          const std::filesystem::path& workerProgram, bool startsEveryRank) {
  MachineGpus gpus;
  if (runtime.device != Device::Cpu) {
    const std::string reason = findUsable(gpus, workerProgram);
    if (runtime.device == Device::Cuda && !reason.empty()) {
      throw base::mendable("runtime.device: cuda cannot be had: " + reason +
                           "; set runtime.device to cpu or auto to go without");
    }
    if (startsEveryRank) gpus.remarks.clear();  // the GPU that it has been given is all it may use
    if (!reason.empty()) gpus.remarks = {"device: the CPU (" + reason + ")"};
    for (const std::string& remark : gpus.remarks) base::logInfo("engine", remark);
    runtime.device = reason.empty() ? Device::Cuda : Device::Cpu;
  }
  if (runtime.device == Device::Cpu && runtime.backend == Backend::Nccl) {
    throw base::mendable(
        "runtime.backend: nccl is for GPUs, and the training is on the CPU: set it to auto or "
        "gloo");
  }
  return gpus;
}

int chooseCount(const config::RuntimeConfig& runtime, const RankRequest& request,
                const MachineGpus& gpus) {
  if (request.cluster.startsEveryRank) return 1;
  if (request.workers) return *request.workers;
  // Under a launcher every node decides for itself, and others are not told the experiment.
  if (request.cluster.launcher.empty() && runtime.workers > 0) return runtime.workers;
  if (runtime.device != Device::Cuda) return 1;
  return runtime.devices.empty() ? gpus.usableCount() : static_cast<int>(runtime.devices.size());
}

void refuseDevices(const config::RuntimeConfig& runtime, const LocalRanks& ranks,
                   const MachineGpus& gpus) {
  const auto& devices = runtime.devices;
  if (!ranks.cluster.launcher.empty()) {
    throw base::mendable("runtime.devices: is for one machine without a launcher: under " +
                         ranks.cluster.launcher + " choose GPUs with CUDA_VISIBLE_DEVICES");
  }
  const int listed = static_cast<int>(devices.size());
  if (ranks.count > listed) {
    throw base::mendable("runtime.devices: lists " + std::to_string(listed) + " for " +
                         ranksText(ranks.count) + ": list one for each, or ask for fewer ranks");
  }
  if (runtime.device != Device::Cuda) return;
  const int largest = *std::max_element(devices.begin(), devices.end());
  if (largest >= gpus.count()) {
    throw base::mendable("runtime.devices: " + std::to_string(largest) +
                         ": there is no such GPU; they are 0 to " +
                         std::to_string(gpus.count() - 1));
  }
  for (const auto place : devices) {
    const std::string unfit = supervisor::whyUnusable(gpus.all[place], gpus.support);
    if (!unfit.empty()) throw base::mendable("runtime.devices: " + unfit + "; leave it out");
  }
  const std::set<int> used(devices.begin(), devices.begin() + ranks.count);
  if (runtime.backend != Backend::Gloo && static_cast<int>(used.size()) < ranks.count) {
    throw base::mendable(
        "runtime.devices: one GPU is listed for two ranks, which NCCL cannot: list others, or set "
        "runtime.backend to gloo");
  }
}

/// Every rank holds the model and its threads: a slip of the finger must not take the machine.
void refuseTooMany(int count) {
  constexpr int kMostPerCore = 8;
  const int cores = supervisor::usableCores();
  if (count <= kMostPerCore * cores) return;
  throw base::mendable(ranksText(count) + " on the CPU: the " +
                       base::counted(static_cast<std::uint64_t>(cores), "core") +
                       " of this machine take at most " + std::to_string(kMostPerCore * cores) +
                       ": ask for fewer (--workers, runtime.workers)");
}

/// The GPU of a launcher's rank. Where the launcher shows each rank its own one alone, that is 0.
int gpuOfOneRank(const supervisor::ClusterEnvironment& cluster, int gpus) {
  return gpus == 1 ? 0 : cluster.localRank;
}

/// While the others are on theirs it cannot go to the CPU.
void refuseGpuOfOneRank(const supervisor::ClusterEnvironment& cluster, int gpu,
                        const MachineGpus& gpus) {
  const std::string rank = cluster.launcher + "'s local rank " + std::to_string(cluster.localRank);
  if (gpu >= gpus.count()) {
    throw base::mendable(rank + " has no GPU, for there are " + std::to_string(gpus.count()) +
                         ": start no more ranks on a machine than it has GPUs, or set "
                         "runtime.device to cpu");
  }
  const std::string unfit = supervisor::whyUnusable(gpus.all[gpu], gpus.support);
  if (unfit.empty()) return;
  throw base::mendable(rank + " cannot use its GPU: " + unfit +
                       "; name in CUDA_VISIBLE_DEVICES those that can be used, and start a rank "
                       "for each");
}

/// Their places in CUDA's order.
std::vector<int> chooseGpus(const config::RuntimeConfig& runtime, const LocalRanks& ranks,
                            const MachineGpus& gpus) {
  if (!runtime.devices.empty()) {
    refuseDevices(runtime, ranks, gpus);
    return {runtime.devices.begin(), runtime.devices.begin() + ranks.count};
  }
  if (ranks.cluster.startsEveryRank) {
    const int gpu = gpuOfOneRank(ranks.cluster, gpus.count());
    if (runtime.device == Device::Cuda) refuseGpuOfOneRank(ranks.cluster, gpu, gpus);
    return {gpu};
  }
  if (runtime.device != Device::Cuda) return {};
  if (ranks.count > gpus.usableCount()) {
    throw base::mendable(ranksText(ranks.count) + " need as many GPUs, and " +
                         std::to_string(gpus.usableCount()) +
                         " can be used here: ask for fewer ranks (--workers, runtime.workers), or "
                         "name a GPU for each in runtime.devices");
  }
  return {gpus.usable.begin(), gpus.usable.begin() + ranks.count};
}

/// What the driver calls the chosen ones.
std::vector<supervisor::GpuDevice> chosenDevices(const std::vector<int>& places,
                                                 const std::vector<supervisor::GpuDevice>& all) {
  std::vector<supervisor::GpuDevice> devices;
  for (const int place : places) {
    if (place >= static_cast<int>(all.size())) return {};
    devices.push_back(all[place]);
  }
  return devices;
}

void tellWhatLauncherDecides(const config::RuntimeConfig& runtime, const LocalRanks& ranks) {
  const std::string& launcher = ranks.cluster.launcher;
  if (launcher.empty()) return;
  if (runtime.workers > 0 && runtime.workers != ranks.worldSize()) {
    base::logInfo("engine", "runtime.workers: " + std::to_string(runtime.workers) +
                                " gives way to " + launcher + ", which starts " +
                                ranksText(ranks.worldSize()));
  }
  if (runtime.maxRestarts > 0)
    base::logInfo("engine", "runtime.max_restarts: starting again is left to " + launcher);
}

/// Not by the launcher's ranks each for itself: rank 0's machine decides for all.
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
  const MachineGpus gpus = resolveDevice(runtime, workerProgram, request.cluster.startsEveryRank);
  LocalRanks ranks{request.cluster, chooseCount(runtime, request, gpus)};
  if (runtime.device == Device::Cpu && !request.cluster.startsEveryRank) refuseTooMany(ranks.count);
  ranks.gpus = chooseGpus(runtime, ranks, gpus);
  ranks.choiceLines = gpus.remarks;
  if (runtime.device == Device::Cuda) ranks.devices = chosenDevices(ranks.gpus, gpus.all);
  resolvePrecision(runtime, ranks);
  tellWhatLauncherDecides(runtime, ranks);
  runtime.workers = ranks.worldSize();
  if (runtime.cpuThreads == 0)
    runtime.cpuThreads = std::max(supervisor::usableCores() / ranks.countOnMachine(), 1);
  return ranks;
}

std::vector<supervisor::GpuDevice> foreseeDevices(const config::RuntimeConfig& runtime) {
  if (runtime.device == Device::Cpu) return {};
  const supervisor::Gpus gpus = supervisor::findGpus();
  const int count = static_cast<int>(gpus.devices.size());
  const supervisor::GpuSupport supposed{true, {}, count};
  if (!supervisor::whyNoneUsable(gpus, supposed).empty()) return {};
  std::vector<int> places(runtime.devices.begin(), runtime.devices.end());
  for (int place = 0; runtime.devices.empty() && place < count; ++place)
    if (supervisor::whyUnusable(gpus.devices[place], supposed).empty()) places.push_back(place);
  if (runtime.workers > 0 && runtime.workers < static_cast<int>(places.size()))
    places.resize(static_cast<std::size_t>(runtime.workers));
  return chosenDevices(places, gpus.devices);
}

supervisor::LocalRanks ranksOfFollower(const RankRequest& request) {
  checkWorkers(request);
  const auto all = supervisor::findGpus().devices;
  const int gpus = static_cast<int>(all.size());
  LocalRanks ranks{request.cluster, request.workers.value_or(std::max(gpus, 1))};
  if (gpus == 0 && !request.cluster.startsEveryRank) refuseTooMany(ranks.count);
  if (request.cluster.startsEveryRank) {
    ranks.count = 1;
    ranks.gpus = {gpuOfOneRank(request.cluster, gpus)};
  } else {
    for (int place = 0; place < ranks.count; ++place) ranks.gpus.push_back(place);
  }
  ranks.devices = chosenDevices(ranks.gpus, all);
  return ranks;
}

void checkWorkers(const RankRequest& request) {
  if (!request.workers) return;
  const std::string said = "--workers " + std::to_string(*request.workers) + ": ";
  if (*request.workers < 1)
    throw base::mendable(said + "at least one rank is needed; leave it out or say 1");
  if (request.cluster.startsEveryRank && *request.workers != 1) {
    throw base::mendable(said + request.cluster.launcher +
                         " starts lockstep-engine once for every rank: leave it out");
  }
}

}  // namespace lockstep::cli
