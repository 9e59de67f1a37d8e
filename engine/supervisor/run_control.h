#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/rank_failure.h"
#include "engine/supervisor/rank_group.h"

namespace lockstep::supervisor {

/// The ranks of a training run and the pending requests; shared by its parts.
struct RunControl {
  std::unique_ptr<RankGroup> ranks{};         ///< of the newest attempt; null before the first
  std::optional<RankFailure> restartCause{};  ///< set while the ranks wait to be started again
  bool stopRequested = false;                 ///< by a signal or a client
  bool pauseRequested = false;                ///< by a client

  bool isRunning() const { return ranks && ranks->isRunning(); }
  bool isRestarting() const { return restartCause.has_value(); }
  /// To rank 0, of ranks that were started.
  void send(protocol::Action action) { ranks->send({.action = std::move(action)}); }
};

}  // namespace lockstep::supervisor
