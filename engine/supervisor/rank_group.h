#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/local_ranks.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/rank_failure.h"
#include "engine/supervisor/stall_watch.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::supervisor {

struct RankGroupSetup {
  std::filesystem::path program;
  protocol::Work work;
  LocalRanks ranks;
  StallLimits limits;
  /// The file with the lines of a rank; null: they go to standard error.
  std::function<std::filesystem::path(int rank)> logOf;
};

/// How a group ended. Neither finished nor failed: it was killed on request, by the second one or,
/// during the rendezvous, by the first.
struct RankGroupEnd {
  std::optional<protocol::Finished> finished;  ///< of rank 0; elsewhere of the first rank here
  std::optional<RankFailure> failure;
  std::string warning{};  ///< worth a line although the group has finished
};

/// The processes of a supervisor's ranks, from their start until none is left. When one fails, all
/// are ended within 10 seconds, and the failure is that of the root cause.
class RankGroup {
 public:
  struct Handlers {
    /// A message of `rank`, its number in the world. Heartbeat, Listening, Finished and Failed are
    /// handled here.
    std::function<void(int rank, const protocol::WorkerMessage&)> message;
    std::function<void(int rank, const std::string&)> logLine;
    /// Called once, from the loop, when no process is left. May destroy the group.
    std::function<void(const RankGroupEnd&)> ended;
  };

  RankGroup(PollLoop& loop, RankGroupSetup setup, Handlers handlers);
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;
  /// Kills and reaps what still runs.
  ~RankGroup();

  /// Without a master port the other ranks start when rank 0 reports the port it listens on.
  void start();
  /// To the first rank here, which on node 0 is rank 0.
  void send(const protocol::Control& control);
  void sendToAll(const protocol::Control& control);
  /// Ends every rank. That alone is no failure.
  void kill();
  /// To be called after SIGCHLD.
  void reap();
  bool isRunning() const;
  /// True once a rank here has left the rendezvous. Before, it accepts no requests: it may wait for
  /// a rank that never comes.
  bool hasJoined() const;
  /// True while every rank here is being ended.
  bool isEnding() const { return isEnding_; }

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
    std::optional<Clock::time_point> reportTime{};  ///< of Finished or Failed
    bool isKilled = false;                          ///< by us

    bool isRunning() const { return process && process->isRunning(); }
    bool hasReported() const { return reportTime.has_value(); }
  };

  protocol::Job jobOf(const Rank& rank, int masterPort) const;
  void startRank(Rank& rank, int masterPort);
  void startOthers(int masterPort);
  void handle(Rank& rank, const protocol::WorkerMessage& message);
  void handle(Rank& rank, const protocol::Failed& failed);
  void handleExit(Rank& rank, const WorkerExit& exit);
  void watch();
  bool isOverdue(const Rank& rank, Clock::time_point now) const;
  void findHangs(Clock::time_point now);
  RankSymptom locate(const Rank& rank, RankSymptom symptom) const;
  void note(RankSymptom symptom);
  void endWhenAllHaveExited();
  RankGroupEnd end() const;
  bool isFinished() const;
  std::string warningAtEnd() const;

  PollLoop& loop_;
  RankGroupSetup setup_;
  Handlers handlers_;
  std::string host_;
  std::vector<Rank> ranks_;
  std::vector<PollLoop::TimerId> timers_;
  Clock::time_point lastWatch_;
  std::optional<RankSymptom> rootCause_;  ///< as far as it is known
  bool isEnding_ = false;                 ///< no rank is started or watched any more
  bool isEndReported_ = false;
};

}  // namespace lockstep::supervisor
