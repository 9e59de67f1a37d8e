#include "engine/supervisor/local_ranks.h"

#include <unistd.h>

#include "engine/base/host.h"

namespace lockstep::supervisor {

std::vector<queue::Device> LocalRanks::lockedDevices(bool onGpus) const {
  if (!onGpus) return {queue::kCpu};
  std::vector<queue::Device> locked;
  for (int local = 0; local < count; ++local) {
    const auto index = static_cast<std::size_t>(local);
    if (index < devices.size() && !devices[index].uuid.empty()) {
      locked.push_back({devices[index].uuid, gpuName(devices[index])});
    } else {
      const std::string number =
          std::to_string(index < gpus.size() ? gpus[index] : cluster.localRank + local);
      locked.push_back({"gpu-" + number, "GPU " + number});
    }
  }
  return locked;
}

queue::Holder LocalRanks::holder(const std::string& run) const {
  const bool isPartOfJob = !cluster.launcher.empty() && !cluster.masterAddress.empty();
  return {run, ::getpid(), base::hostName(),
          isPartOfJob ? cluster.masterAddress + ":" + std::to_string(cluster.masterPort) : ""};
}

void LocalRanks::setGpu(int localRank, protocol::RankPlacement& rank) const {
  const auto index = static_cast<std::size_t>(localRank);
  rank.gpu = gpus.empty() ? cluster.localRank + localRank : gpus.at(index);
  if (!devices.empty()) rank.gpuName = gpuName(devices.at(index));
}

}  // namespace lockstep::supervisor
