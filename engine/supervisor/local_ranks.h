#pragma once

#include <string>
#include <vector>

#include "engine/protocol/jobs.h"
#include "engine/queue/device_locks.h"
#include "engine/supervisor/cluster_environment.h"
#include "engine/supervisor/devices.h"

namespace lockstep::supervisor {

/// The ranks that one supervisor starts.
struct LocalRanks {
  ClusterEnvironment cluster;
  int count = 1;
  std::vector<int> gpus{};  ///< of each local rank; empty: they count from cluster.localRank
  /// The same GPUs as the driver knows them; empty: on the CPU, or not known.
  std::vector<GpuDevice> devices{};
  /// How devices and precision were chosen, in lines for the run's log. They are on standard error
  /// already.
  std::vector<std::string> choiceLines{};

  /// As far as one supervisor knows: every node starts as many.
  int worldSize() const { return cluster.nodes * count; }
  /// How many ranks share the cores of this machine.
  int countOnMachine() const { return cluster.startsEveryRank ? cluster.localWorldSize : count; }
  /// What the ranks hold the locks of: their GPUs, or the CPU.
  std::vector<queue::Device> lockedDevices(bool onGpus) const;
  /// Of those locks. `run`: the run folder; empty: it is on another machine.
  queue::Holder holder(const std::string& run) const;
  /// Sets the GPU of a local rank.
  void setGpu(int localRank, protocol::RankPlacement& rank) const;
};

}  // namespace lockstep::supervisor
