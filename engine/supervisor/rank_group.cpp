#include "engine/supervisor/rank_group.h"

#include <algorithm>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/host.h"

namespace lockstep::supervisor {
namespace {

constexpr std::chrono::milliseconds kWatchInterval{500};
/// A watch that comes this late shows that this process itself was stopped or busy.
constexpr std::chrono::seconds kLateWatch{2};
/// How long symptoms are collected after the first one, so that the root cause is among them.
constexpr std::chrono::seconds kCollectTime{1};
/// A rank is killed when it still runs so long after it reported its end, or after rank 0 finished.
constexpr std::chrono::seconds kExitGrace{10};
/// Where all ranks here wait, one on another machine may be the cause: its own supervisor reports
/// it before this one does.
constexpr std::chrono::seconds kOtherNodesFirst{3};

}  // namespace

RankGroup::RankGroup(PollLoop& loop, RankGroupSetup setup, Handlers handlers)
    : loop_(loop),
      setup_(std::move(setup)),
      handlers_(std::move(handlers)),
      host_(base::hostName()),
      lastWatch_(Clock::now()) {
  const LocalRanks& ranks = setup_.ranks;
  ranks_.reserve(static_cast<std::size_t>(ranks.count));  // handlers keep references
  for (int local = 0; local < ranks.count; ++local) {
    ranks_.push_back(
        {local, ranks.cluster.node * ranks.count + local, StallWatch(setup_.limits, lastWatch_)});
  }
}

RankGroup::~RankGroup() {
  kill();  // at once, before each is waited for
  for (const PollLoop::TimerId timer : timers_) loop_.cancel(timer);
}

void RankGroup::start() {
  timers_.push_back(loop_.every(kWatchInterval, [this] { watch(); }));
  const int port = setup_.ranks.cluster.masterPort;
  startRank(ranks_.front(), port);
  if (port > 0) startOthers(port);
}

void RankGroup::startOthers(int masterPort) {
  for (Rank& rank : ranks_) {
    if (!rank.process && !isEnding_ && !rootCause_) startRank(rank, masterPort);
  }
}

protocol::Job RankGroup::jobOf(const Rank& rank, int masterPort) const {
  const LocalRanks& ranks = setup_.ranks;
  protocol::RankPlacement placement{.node = ranks.cluster.node,
                                    .nodes = ranks.cluster.nodes,
                                    .localRank = rank.local,
                                    .localRanks = ranks.count,
                                    .machineRanks = ranks.countOnMachine(),
                                    .masterAddress = ranks.cluster.masterAddress,
                                    .masterPort = masterPort,
                                    .storeIsServed = ranks.cluster.storeIsServed};
  ranks.setGpu(rank.local, placement);
  return {std::move(placement), setup_.work};
}

void RankGroup::startRank(Rank& rank, int masterPort) {
  rank.process = std::make_unique<WorkerProcess>(
      loop_, WorkerProcess::Handlers{
                 [this, &rank](const protocol::WorkerMessage& message) { handle(rank, message); },
                 [this, &rank](const std::string& line) { handlers_.logLine(rank.number, line); },
                 [this, &rank](const WorkerExit& exit) { handleExit(rank, exit); }});
  rank.watch = StallWatch(setup_.limits, Clock::now());
  try {
    rank.process->start(setup_.program, jobOf(rank, masterPort));
  } catch (const Error& error) {
    RankSymptom symptom{RankSymptom::Kind::Start, {}, error.status()};
    symptom.error.message = error.what();
    symptom.error.cause = protocol::FailureCause::Start;
    note(locate(rank, std::move(symptom)));
    endWhenAllHaveExited();
  }
}

void RankGroup::send(const protocol::Control& control) {
  if (ranks_.front().process) ranks_.front().process->send(control);
}

void RankGroup::sendToAll(const protocol::Control& control) {
  for (const Rank& rank : ranks_) {
    if (rank.process) rank.process->send(control);
  }
}

void RankGroup::kill() {
  isEnding_ = true;
  for (Rank& rank : ranks_) {
    if (!rank.isRunning()) continue;
    rank.isKilled = true;
    rank.process->kill();
  }
}

void RankGroup::reap() {
  for (Rank& rank : ranks_) {
    if (rank.process) rank.process->reap();
  }
}

std::vector<pid_t> RankGroup::pids() const {
  std::vector<pid_t> pids;
  for (const Rank& rank : ranks_)
    if (rank.isRunning()) pids.push_back(rank.process->pid());
  return pids;
}

bool RankGroup::isRunning() const { return std::ranges::any_of(ranks_, &Rank::isRunning); }

bool RankGroup::hasJoined() const {
  return std::ranges::any_of(ranks_, [](const Rank& rank) {
    return rank.watch.hadHeartbeat() && rank.watch.last().phase != protocol::Phase::Joining;
  });
}

void RankGroup::handle(Rank& rank, const protocol::WorkerMessage& message) {
  const auto now = Clock::now();
  if (const auto* heartbeat = std::get_if<protocol::Heartbeat>(&message)) {
    rank.watch.note(*heartbeat, now);
    // Only the ranks know how many there are on the nodes before theirs.
    const ClusterEnvironment& cluster = setup_.ranks.cluster;
    if (cluster.node > 0 && !cluster.startsEveryRank && heartbeat->rank > 0)
      rank.number = heartbeat->rank;
    return;
  }
  rank.watch.noteWork(now);
  if (const auto* listening = std::get_if<protocol::Listening>(&message)) {
    if (rank.local == 0) startOthers(listening->port);
  } else if (const auto* finished = std::get_if<protocol::Finished>(&message)) {
    rank.finished = *finished;
    rank.reportTime = now;
  } else if (const auto* failed = std::get_if<protocol::Failed>(&message)) {
    handle(rank, *failed);
  } else {
    handlers_.message(rank.number, message);
  }
}

void RankGroup::handle(Rank& rank, const protocol::Failed& failed) {
  RankSymptom symptom = symptomOf(failed);
  const bool isOfAnotherRank = failed.rank >= 0 && failed.rank != rank.number;
  if (isOfAnotherRank) {
    if (symptom.error.host.empty()) symptom.error.host = host_;
    return note(std::move(symptom));
  }
  if (rank.hasReported()) return;
  rank.reportTime = Clock::now();
  note(locate(rank, std::move(symptom)));
}

void RankGroup::handleExit(Rank& rank, const WorkerExit& exit) {
  if (!rank.hasReported() && !rank.isKilled) note(locate(rank, symptomOf(exit)));
  endWhenAllHaveExited();
}

/// Adds the rank to a symptom and, where the symptom has no step and phase, those of the rank's
/// last heartbeat.
RankSymptom RankGroup::locate(const Rank& rank, RankSymptom symptom) const {
  protocol::RunError& error = symptom.error;
  error.rank = rank.number;
  error.host = host_;
  if (error.phase.isEmpty()) {
    const protocol::Heartbeat& last = rank.watch.last();
    error.step = last.step;
    error.phase = last.phase;
    error.collective = last.collective;
  }
  return symptom;
}

void RankGroup::note(RankSymptom symptom) {
  if (isEnding_ || isFinished()) return;
  const bool isFirst = !rootCause_;
  if (isFirst || symptom.kind < rootCause_->kind) rootCause_ = std::move(symptom);
  if (rootCause_->kind <= RankSymptom::Kind::Signal) return kill();  // nothing comes before these
  if (isFirst) timers_.push_back(loop_.after(kCollectTime, [this] { kill(); }));
}

void RankGroup::watch() {
  const auto now = Clock::now();
  const bool isLate = now - std::exchange(lastWatch_, now) > kLateWatch;
  for (Rank& rank : ranks_) {
    if (isLate) rank.watch.restartTimers(now);
    if (!rank.isRunning() || !isOverdue(rank, now)) continue;
    rank.isKilled = true;
    rank.process->kill();
  }
  if (!isEnding_ && !isFinished()) findHangs(now);
}

bool RankGroup::isOverdue(const Rank& rank, Clock::time_point now) const {
  const Rank& reporter = !rank.hasReported() && isFinished() ? ranks_.front() : rank;
  return reporter.reportTime && now - *reporter.reportTime > kExitGrace;
}

void RankGroup::findHangs(Clock::time_point now) {
  using Kind = RankSymptom::Kind;
  std::vector<const Rank*> ranks;
  std::vector<const StallWatch*> watches;
  for (const Rank& rank : ranks_) {
    if (!rank.isRunning() || rank.hasReported()) continue;
    if (rank.watch.isSilent(now) && (rank.watch.hadHeartbeat() || rank.process->isStopped()))
      note(locate(rank, timeoutSymptom(Kind::Silence, setup_.limits.silence)));
    ranks.push_back(&rank);
    watches.push_back(&rank.watch);
  }
  auto stalled = findStalled(watches, now);
  if (!stalled || rootCause_) return;
  const bool waits = watches[*stalled]->isWaiting();
  if (waits && setup_.ranks.cluster.nodes > 1)
    stalled = findStalled(watches, now - kOtherNodesFirst);
  if (!stalled) return;
  const auto kind = waits && setup_.ranks.worldSize() > 1 ? Kind::AllStalled : Kind::Stall;
  note(locate(*ranks[*stalled], timeoutSymptom(kind, setup_.limits.stall)));
}

/// When rank 0 has finished the work is done: how the others end does not matter any more.
bool RankGroup::isFinished() const {
  return setup_.ranks.cluster.node == 0 && ranks_.front().finished.has_value();
}

void RankGroup::endWhenAllHaveExited() {
  if (isRunning() || isEndReported_) return;
  isEndReported_ = true;
  isEnding_ = true;
  // From the loop: a WorkerProcess is calling here, and the handler may destroy it.
  timers_.push_back(loop_.after(std::chrono::milliseconds(0), [this] {
    const auto ended = std::move(handlers_.ended);
    ended(end());
  }));
}

RankGroupEnd RankGroup::end() const {
  const auto hasFinished = [](const Rank& rank) { return rank.finished.has_value(); };
  if (isFinished() || std::ranges::all_of(ranks_, hasFinished))
    return {ranks_.front().finished, std::nullopt, warningAtEnd()};
  if (!rootCause_) return {};
  const auto log = setup_.logOf ? setup_.logOf(rootCause_->error.rank) : std::filesystem::path();
  return {std::nullopt, describeFailure(*rootCause_, setup_.ranks.worldSize(), log)};
}

std::string RankGroup::warningAtEnd() const {
  for (const Rank& rank : ranks_) {
    if (rank.finished || !rank.process) continue;
    return "rank " + std::to_string(rank.number) +
           " did not exit cleanly after rank 0 had finished";
  }
  return {};
}

}  // namespace lockstep::supervisor
