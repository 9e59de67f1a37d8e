#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "engine/dist/world.h"
#include "engine/protocol/worker_messages.h"
#include "engine/train/phase.h"

namespace lockstep::worker {

/// The world of this process, once it has joined one. It lives until the process has said its last
/// word, so that ranks on other machines can hear it.
class OwnWorld {
 public:
  explicit OwnWorld(train::PhaseReport& phase) : phase_(phase) {}
  OwnWorld(const OwnWorld&) = delete;

  /// Waits for the other ranks. Throws Error that says who is missing. `listening` is called on
  /// rank 0 when its store answers.
  dist::World& join(const protocol::RankPlace& place,
                    const std::function<void(int port)>& listening);

  /// Once a second, any thread: tells other machines where this rank is, and returns what is newly
  /// known of a rank there that is lost.
  std::optional<protocol::Failed> exchangeNews();

  /// The last word of a rank that fails. Where another machine's rank is to blame and can be
  /// named, waits for that and returns it.
  std::optional<protocol::Failed> fail(const protocol::Failed& failed);

 private:
  dist::PeerWatch* peers();
  std::optional<protocol::Failed> lossOf(dist::PeerWatch& peers);
  protocol::Failed standing() const;

  train::PhaseReport& phase_;
  std::mutex mutex_;
  std::unique_ptr<dist::World> world_;  ///< set under mutex_
  bool isLossTold_ = false;             ///< under mutex_
};

}  // namespace lockstep::worker
