#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "engine/dist/world.h"
#include "engine/protocol/worker_messages.h"
#include "engine/train/phase.h"

namespace lockstep::worker {

/// The world of this process after the rendezvous. It outlives the job, so that ranks on other
/// machines receive the failure of this one.
class WorkerWorld {
 public:
  explicit WorkerWorld(train::PhaseReport& phase) : phase_(phase) {}
  WorkerWorld(const WorkerWorld&) = delete;

  /// Rendezvous: waits for the other ranks. Throws Error naming those that are missing. `listening`
  /// is called on rank 0 when its store accepts connections.
  dist::World& join(const protocol::RankPlacement& placement,
                    const std::function<void(int port)>& listening);

  /// Called once a second, any thread: publishes this rank's status to other machines, and returns
  /// the failure of a rank there, once.
  std::optional<protocol::Failed> exchangeStatus();

  /// Publishes the failure of this rank. If its cause is a lost peer, waits until the failed rank
  /// is known and returns that rank's failure.
  std::optional<protocol::Failed> publishFailure(const protocol::Failed& failed);

 private:
  dist::PeerMonitor* peers();
  std::optional<protocol::Failed> peerFailure(dist::PeerMonitor& monitor);
  protocol::Failed currentStatus() const;

  train::PhaseReport& phase_;
  std::mutex mutex_;
  std::unique_ptr<dist::World> world_;  ///< set under mutex_
  bool isLossReported_ = false;         ///< under mutex_
};

}  // namespace lockstep::worker
