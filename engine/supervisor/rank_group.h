#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/devices.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/rank_failure.h"
#include "engine/supervisor/stall_watch.h"
#include "engine/supervisor/worker_process.h"
#include "engine/supervisor/world_place.h"

namespace lockstep::supervisor {

/// The ranks that one supervisor starts.
struct LocalRanks {
  WorldPlace place;
  int count = 1;
  std::vector<int> gpus{};  ///< of each local rank; empty: place.gpu and those after it
  /// The same GPUs as the driver knows them; empty: on the CPU, or not known.
  std::vector<GpuDevice> devices{};
  /// What the choice of devices passed over, for the run's log: it was said when it was made.
  std::vector<std::string> remarks{};

  /// As far as one supervisor knows: every node starts as many.
  int worldSize() const { return place.nodes * count; }
  /// That share this machine's cores.
  int onMachine() const { return place.isOneRank ? place.ranksBeside : count; }
  /// Names the GPU of a local rank.
  void giveGpu(int rank, protocol::RankPlace& told) const;
};

struct RankGroupSetup {
  std::filesystem::path program;
  protocol::Work work;
  LocalRanks ranks;
  StallLimits limits;
  /// The file that keeps the lines of a rank; null: they are passed on.
  std::function<std::filesystem::path(int rank)> logOf;
};

/// How a group ended. Neither of the two: it was killed on request.
struct RankGroupEnd {
  std::optional<protocol::Finished> finished;  ///< rank 0's; elsewhere that of the first rank here
  std::optional<RankFailure> failure;
  std::string remark;  ///< what else is worth a line, though all is done
};

/// The processes of a supervisor's ranks, from their start until none is left. When one fails all
/// are ended, within 10 seconds, and the one that really failed is named.
class RankGroup {
 public:
  struct Handlers {
    /// What a rank says; `rank` is its number in the world. Heartbeat, Listening, Finished and
    /// Failed stay here.
    std::function<void(int rank, const protocol::WorkerMessage&)> message;
    std::function<void(int rank, const std::string&)> logLine;
    /// Once, out of the loop, when no process is left. May destroy the group.
    std::function<void(const RankGroupEnd&)> ended;
  };

  RankGroup(PollLoop& loop, RankGroupSetup setup, Handlers handlers);
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;
  /// Kills and reaps what still runs.
  ~RankGroup();

  /// Without a master port the other ranks start when rank 0 says where it listens.
  void start();
  /// To the first rank here, which on node 0 is rank 0.
  void send(const protocol::Control& control);
  void sendToAll(const protocol::Control& control);
  /// Ends every rank; by itself no failure.
  void kill();
  /// To be called after SIGCHLD.
  void reap();
  bool isRunning() const;

  /// Of the ranks that run here.
  std::vector<pid_t> pids() const;
  int count() const { return static_cast<int>(ranks_.size()); }
  /// Number in the world.
  int rank(int localRank) const { return ranks_[static_cast<std::size_t>(localRank)].number; }
  const protocol::Heartbeat& heartbeat(int localRank) const {
    return ranks_[static_cast<std::size_t>(localRank)].watch.last();
  }

 private:
  using Clock = PollLoop::Clock;
  struct Rank {
    int local = 0, number = 0;
    StallWatch watch;
    std::unique_ptr<WorkerProcess> process{};  ///< null: not started yet
    std::optional<protocol::Finished> finished{};
    std::optional<Clock::time_point> lastWord{};  ///< when it said Finished or Failed
    bool isKilled = false;                        ///< by us

    bool isRunning() const { return process && process->isRunning(); }
    bool hasSaidItsLast() const { return lastWord.has_value(); }
  };

  protocol::Job jobOf(const Rank& rank, int masterPort) const;
  void startRank(Rank& rank, int masterPort);
  void startOthers(int masterPort);
  void take(Rank& rank, const protocol::WorkerMessage& message);
  void takeFailed(Rank& rank, const protocol::Failed& failed);
  void exited(Rank& rank, const WorkerExit& exit);
  void watch();
  bool hasOverstayed(const Rank& rank, Clock::time_point now) const;
  void watchRanks(Clock::time_point now);
  RankSign about(const Rank& rank, RankSign sign) const;
  void noteSign(RankSign sign);
  void endWhenAllAreGone();
  RankGroupEnd end() const;
  bool isDone() const;
  std::string remark() const;

  PollLoop& loop_;
  RankGroupSetup setup_;
  Handlers handlers_;
  std::string host_;
  std::vector<Rank> ranks_;
  std::vector<PollLoop::TimerId> timers_;
  Clock::time_point lastWatch_;
  std::optional<RankSign> cause_;  ///< the weightiest sign so far
  bool isEnding_ = false;          ///< no rank is started or watched any more
  bool isReported_ = false;
};

}  // namespace lockstep::supervisor
