#include "engine/cli/machine_choice.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/supervisor/devices.h"
#include "engine/supervisor/machine.h"
#include "engine/supervisor/one_shot_job.h"

namespace lockstep::cli {
namespace {

using supervisor::LocalRanks;

int gpuCount() { return static_cast<int>(supervisor::findGpus().devices.size()); }

std::string ranksText(int count) {
  return std::to_string(count) + (count == 1 ? " rank" : " ranks");
}

/// Why no GPU can be used, or "". Only a machine with a GPU pays for asking the worker.
std::string whyNoGpu(const std::filesystem::path& workerProgram) {
  if (gpuCount() == 0) return "NVML finds no GPU";
  protocol::Job job;
  job.kind = "info";
  const auto info = nlohmann::json::parse(supervisor::runOneShotJob(workerProgram, job));
  if (!info.value("cuda_kernels", false)) return "this build has no CUDA kernels";
  return info.value("usable_gpus", 0) > 0 ? "" : "LibTorch can use none of this machine's GPUs";
}

void resolveDevice(config::RuntimeConfig& runtime, const std::filesystem::path& workerProgram) {
  if (runtime.device != "cpu") {
    const std::string reason = whyNoGpu(workerProgram);
    if (runtime.device == "cuda" && !reason.empty()) {
      throw base::mendable("runtime.device: cuda cannot be had: " + reason +
                           "; set runtime.device to cpu or auto");
    }
    if (!reason.empty()) base::logInfo("engine", "device: the CPU (" + reason + ")");
    runtime.device = reason.empty() ? "cuda" : "cpu";
  }
  if (runtime.device == "cpu" && runtime.backend == "nccl") {
    throw base::mendable(
        "runtime.backend: nccl is for GPUs, and the training is on the CPU: set it to auto or "
        "gloo");
  }
}

int chooseCount(const config::RuntimeConfig& runtime, const RankWish& wish) {
  if (wish.place.isOneRank) return 1;
  if (wish.workers) return *wish.workers;
  // Under a launcher every node decides for itself, and others are not told the experiment.
  if (wish.place.launcher.empty() && runtime.workers > 0) return runtime.workers;
  if (runtime.device != "cuda") return 1;
  return runtime.devices.empty() ? gpuCount() : static_cast<int>(runtime.devices.size());
}

void refuseDevices(const config::RuntimeConfig& runtime, const LocalRanks& ranks) {
  const auto& devices = runtime.devices;
  if (!ranks.place.launcher.empty()) {
    throw base::mendable("runtime.devices: is for one machine without a launcher: under " +
                         ranks.place.launcher + " choose GPUs with CUDA_VISIBLE_DEVICES");
  }
  const int listed = static_cast<int>(devices.size());
  if (ranks.count > listed) {
    throw base::mendable("runtime.devices: lists " + std::to_string(listed) + " for " +
                         ranksText(ranks.count) + ": list one for each, or ask for fewer ranks");
  }
  if (runtime.device != "cuda") return;
  const int gpus = gpuCount();
  const int largest = *std::max_element(devices.begin(), devices.end());
  if (largest >= gpus) {
    throw base::mendable("runtime.devices: " + std::to_string(largest) +
                         ": there is no such GPU; they are 0 to " + std::to_string(gpus - 1));
  }
  const std::set<int> used(devices.begin(), devices.begin() + ranks.count);
  if (runtime.backend != "gloo" && static_cast<int>(used.size()) < ranks.count) {
    throw base::mendable(
        "runtime.devices: one GPU is listed for two ranks, which NCCL cannot: list others, or set "
        "runtime.backend to gloo");
  }
}

/// The GPU of a launcher's rank. Where the launcher shows each rank its own one alone, that is 0.
int gpuOfOneRank(const supervisor::WorldPlace& place) { return gpuCount() == 1 ? 0 : place.gpu; }

std::vector<int> chooseGpus(const config::RuntimeConfig& runtime, const LocalRanks& ranks) {
  if (!runtime.devices.empty()) {
    refuseDevices(runtime, ranks);
    return {runtime.devices.begin(), runtime.devices.begin() + ranks.count};
  }
  if (ranks.place.isOneRank) return {gpuOfOneRank(ranks.place)};
  if (runtime.device == "cuda" && ranks.count > gpuCount()) {
    throw base::mendable(ranksText(ranks.count) + " and " + std::to_string(gpuCount()) +
                         " GPUs: ask for as many ranks at most (--workers, runtime.workers), or "
                         "name a GPU for each in runtime.devices");
  }
  return {};
}

/// Of all supervisors of this machine, as far as a launcher says it.
int ranksOnThisMachine(const LocalRanks& ranks) {
  if (!ranks.place.isOneRank) return ranks.count;
  for (const char* name : {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && std::atoi(value) > 0) return std::atoi(value);
  }
  return 1;  // Slurm gives each task cores of its own
}

void tellWhatLauncherDecides(const config::RuntimeConfig& runtime, const LocalRanks& ranks) {
  const std::string& launcher = ranks.place.launcher;
  if (launcher.empty()) return;
  if (runtime.workers > 0 && runtime.workers != ranks.worldSize()) {
    base::logInfo("engine", "runtime.workers: " + std::to_string(runtime.workers) +
                                " gives way to " + launcher + ", which starts " +
                                ranksText(ranks.worldSize()));
  }
  if (runtime.maxRestarts > 0)
    base::logInfo("engine", "runtime.max_restarts: starting again is left to " + launcher);
}

}  // namespace

supervisor::LocalRanks resolveMachine(config::Experiment& experiment,
                                      const std::filesystem::path& workerProgram,
                                      const RankWish& wish) {
  config::RuntimeConfig& runtime = experiment.runtime;
  checkWorkers(wish);
  resolveDevice(runtime, workerProgram);
  LocalRanks ranks{wish.place, chooseCount(runtime, wish), {}};
  ranks.gpus = chooseGpus(runtime, ranks);
  tellWhatLauncherDecides(runtime, ranks);
  runtime.workers = ranks.worldSize();
  if (runtime.cpuThreads == 0)
    runtime.cpuThreads = std::max(supervisor::usableCores() / ranksOnThisMachine(ranks), 1);
  return ranks;
}

supervisor::LocalRanks ranksOfFollower(const RankWish& wish) {
  checkWorkers(wish);
  if (wish.place.isOneRank) return {wish.place, 1, {gpuOfOneRank(wish.place)}};
  return {wish.place, wish.workers.value_or(std::max(gpuCount(), 1)), {}};
}

void checkWorkers(const RankWish& wish) {
  if (!wish.workers) return;
  const std::string said = "--workers " + std::to_string(*wish.workers) + ": ";
  if (*wish.workers < 1)
    throw base::mendable(said + "at least one rank is needed; leave it out or say 1");
  if (wish.place.isOneRank && *wish.workers != 1) {
    throw base::mendable(said + wish.place.launcher +
                         " starts lockstep-engine once for every rank: leave it out");
  }
}

}  // namespace lockstep::cli
