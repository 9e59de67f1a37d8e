#include "engine/worker/worker_world.h"

#include <torch/types.h>

#include <chrono>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/host.h"

namespace lockstep::worker {
namespace {

/// How long to wait, after a collective failed, until the failed rank is known: a second more than
/// the heartbeat timeout.
constexpr std::chrono::duration<double> kFailureTimeout{dist::PeerMonitor::kTimeoutSeconds + 1};
constexpr std::chrono::milliseconds kPollInterval{100};

std::string encoded(const protocol::Failed& failed) {
  return protocol::encode(protocol::WorkerMessage(failed));
}

/// nullopt for a message of another version.
std::optional<protocol::Failed> decoded(const std::string& text) {
  try {
    const auto message = protocol::decodeWorkerMessage(text);
    if (const auto* failed = std::get_if<protocol::Failed>(&message)) return *failed;
  } catch (const Error&) {
  }
  return std::nullopt;
}

}  // namespace

dist::World& WorkerWorld::join(const protocol::RankPlacement& placement,
                               const std::function<void(int port)>& listening) {
  phase_.phase = protocol::Phase::Joining;
  auto world = dist::joinWorld(
      {.node = placement.node,
       .nodes = placement.nodes,
       .localRank = placement.localRank,
       .localRanks = placement.localRanks,
       .masterAddress = placement.masterAddress,
       .masterPort = placement.masterPort,
       .storeIsServed = placement.storeIsServed,
       .onListening = listening,
       .onCollective = [this](const char* name, bool waiting) { phase_.note(name, waiting); }});
  phase_.rank = world->rank();
  const std::lock_guard lock(mutex_);
  world_ = std::move(world);
  return *world_;
}

dist::PeerMonitor* WorkerWorld::peers() {
  const std::lock_guard lock(mutex_);
  return world_ ? world_->peerMonitor() : nullptr;
}

/// The status of this rank, as the failure that is reported if it goes silent.
protocol::Failed WorkerWorld::currentStatus() const {
  protocol::Failed failed;
  failed.rank = phase_.rank;
  failed.host = base::hostName();
  failed.step = phase_.step;
  failed.phase = phase_.phase.load();
  failed.collective = phase_.collective.load();
  failed.cause = protocol::FailureCause::Silence;
  return failed;
}

std::optional<protocol::Failed> WorkerWorld::exchangeStatus() {
  dist::PeerMonitor* const monitor = peers();
  if (monitor == nullptr) return std::nullopt;
  monitor->publish(encoded(currentStatus()));
  return peerFailure(*monitor);
}

std::optional<protocol::Failed> WorkerWorld::peerFailure(dist::PeerMonitor& monitor) {
  const auto loss = monitor.lostPeer();
  if (!loss) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(isLossReported_, true)) return std::nullopt;
  }
  const std::string& message = loss->exitReason.empty() ? loss->status : loss->exitReason;
  protocol::Failed failed = decoded(message).value_or(protocol::Failed{});
  failed.rank = loss->rank;
  if (loss->exitReason.empty()) {
    failed.cause = protocol::FailureCause::Silence;
    failed.message = "sent no heartbeat for " +
                     std::to_string(static_cast<int>(loss->secondsSinceHeartbeat)) +
                     " s (its machine or network may be down)";
  }
  return failed;
}

std::optional<protocol::Failed> WorkerWorld::publishFailure(const protocol::Failed& failed) {
  dist::PeerMonitor* const monitor = peers();
  if (monitor == nullptr) return std::nullopt;
  protocol::Failed own = currentStatus();
  own.message = failed.message;
  own.exitStatus = failed.exitStatus;
  own.cause = failed.cause;
  if (failed.cause != protocol::FailureCause::LostPeer) {
    monitor->publishExit(encoded(own));
    return std::nullopt;
  }
  const auto end = std::chrono::steady_clock::now() + kFailureTimeout;
  while (std::chrono::steady_clock::now() < end) {
    if (auto lost = peerFailure(*monitor)) return lost;
    std::this_thread::sleep_for(kPollInterval);
  }
  return std::nullopt;
}

}  // namespace lockstep::worker
