#include "engine/worker/own_world.h"

#include <torch/types.h>

#include <chrono>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/host.h"

namespace lockstep::worker {
namespace {

/// After a collective broke, for news of the rank that broke it: a second more than silence takes.
constexpr std::chrono::duration<double> kNewsPatience{dist::PeerWatch::kSilenceSeconds + 1};
constexpr std::chrono::milliseconds kNewsInterval{100};

std::string encoded(const protocol::Failed& failed) {
  return protocol::encode(protocol::WorkerMessage(failed));
}

/// Nothing for words of another version.
std::optional<protocol::Failed> decoded(const std::string& text) {
  try {
    const auto message = protocol::decodeWorkerMessage(text);
    if (const auto* failed = std::get_if<protocol::Failed>(&message)) return *failed;
  } catch (const Error&) {
  }
  return std::nullopt;
}

}  // namespace

dist::World& OwnWorld::join(const protocol::RankPlace& place,
                            const std::function<void(int port)>& listening) {
  phase_.phase = protocol::Phase::Joining;
  auto world = dist::joinWorld(
      {.node = place.node,
       .nodes = place.nodes,
       .localRank = place.localRank,
       .localRanks = place.localRanks,
       .masterAddress = place.masterAddress,
       .masterPort = place.masterPort,
       .storeIsServed = place.storeIsServed,
       .onListening = listening,
       .onCollective = [this](const char* name, bool waiting) { phase_.note(name, waiting); }});
  phase_.rank = world->rank();
  const std::lock_guard lock(mutex_);
  world_ = std::move(world);
  return *world_;
}

dist::PeerWatch* OwnWorld::peers() {
  const std::lock_guard lock(mutex_);
  return world_ ? world_->peerWatch() : nullptr;
}

/// Where this rank is, in the words in which it may have failed.
protocol::Failed OwnWorld::standing() const {
  protocol::Failed failed;
  failed.rank = phase_.rank;
  failed.host = base::hostName();
  failed.step = phase_.step;
  failed.phase = phase_.phase.load();
  failed.collective = phase_.collective.load();
  failed.cause = protocol::FailureCause::Silence;
  return failed;
}

std::optional<protocol::Failed> OwnWorld::exchangeNews() {
  dist::PeerWatch* const watch = peers();
  if (watch == nullptr) return std::nullopt;
  watch->say(encoded(standing()));
  return lossOf(*watch);
}

std::optional<protocol::Failed> OwnWorld::lossOf(dist::PeerWatch& watch) {
  const auto loss = watch.loss();
  if (!loss) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(isLossTold_, true)) return std::nullopt;
  }
  const std::string& words = loss->lastWord.empty() ? loss->standing : loss->lastWord;
  protocol::Failed failed = decoded(words).value_or(protocol::Failed{});
  failed.rank = loss->rank;
  if (loss->lastWord.empty()) {
    failed.cause = protocol::FailureCause::Silence;
    failed.message = "has not been heard of for " +
                     std::to_string(static_cast<int>(loss->silentSeconds)) +
                     " s (its machine, or the network to it)";
  }
  return failed;
}

std::optional<protocol::Failed> OwnWorld::fail(const protocol::Failed& failed) {
  dist::PeerWatch* const watch = peers();
  if (watch == nullptr) return std::nullopt;
  protocol::Failed word = standing();
  word.message = failed.message;
  word.exitStatus = failed.exitStatus;
  word.cause = failed.cause;
  if (failed.cause != protocol::FailureCause::LostPeer) {
    watch->sayLast(encoded(word));
    return std::nullopt;
  }
  const auto end = std::chrono::steady_clock::now() + kNewsPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (auto lost = lossOf(*watch)) return lost;
    std::this_thread::sleep_for(kNewsInterval);
  }
  return std::nullopt;
}

}  // namespace lockstep::worker
