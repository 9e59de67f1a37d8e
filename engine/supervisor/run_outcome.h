#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/protocol/event.h"
#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/checkpoint_keeper.h"
#include "engine/supervisor/rank_failure.h"
#include "engine/supervisor/rank_group.h"

namespace lockstep::supervisor {

/// How a run ended, for run.json, the exit status and people.
struct RunOutcome {
  protocol::RunState state = protocol::RunState::Failed;
  ExitStatus status = ExitStatus::Failed;
  std::optional<protocol::RunError> error{};
  std::string line{};
};

/// What is known of a run whose ranks have ended.
struct RunFacts {
  std::filesystem::path folder;
  std::string launcher;                     ///< as ClusterEnvironment's
  std::int64_t step = 0;                    ///< of the newest record
  protocol::Heartbeat heartbeat;            ///< the last one of rank 0
  std::string killedBy{};                   ///< the second signal, which killed the ranks
  std::vector<std::int64_t> checkpoints{};  ///< steps in the folder, rising
  std::optional<LostCheckpoint> lostCheckpoint{};
  bool isRangeTest = false;  ///< it has no checkpoints
};

RunOutcome outcomeOf(const RankGroupEnd& end, const RunFacts& facts);
/// The same when no other attempt follows the failure. If the run can be resumed later, the error
/// includes the command.
RunOutcome outcomeOf(const RankFailure& failure, const RunFacts& facts);
/// Stopped on request, with a checkpoint to resume from if a step was made, unless it is a range
/// test.
RunOutcome stoppedOutcome(const RunFacts& facts);
/// Stopped on request while it waited in the queue.
RunOutcome cancelledOutcome(const RunFacts& facts);

/// A failure that is no rank's, at rank 0's last heartbeat.
protocol::RunError runError(const std::string& message,
                            const base::OpenEnum<protocol::FailureCause>& cause,
                            const RunFacts& facts);

}  // namespace lockstep::supervisor
