#include "engine/supervisor/local_ranks.h"

namespace lockstep::supervisor {

void LocalRanks::setGpu(int localRank, protocol::RankPlacement& rank) const {
  const auto index = static_cast<std::size_t>(localRank);
  rank.gpu = gpus.empty() ? cluster.localRank + localRank : gpus.at(index);
  if (!devices.empty()) rank.gpuName = gpuName(devices.at(index));
}

}  // namespace lockstep::supervisor
