#include "engine/supervisor/rank_group.h"

#include <algorithm>
#include <variant>

#include "engine/base/error.h"
#include "engine/supervisor/machine.h"

namespace lockstep::supervisor {
namespace {

constexpr std::chrono::milliseconds kWatchInterval{500};
/// When the watch comes this late, this process itself was stopped or busy.
constexpr std::chrono::seconds kLateWatch{2};
/// After the first bad sign, for the one that tells the cause.
constexpr std::chrono::seconds kCollectTime{1};
/// A rank that has said its last word is killed after this, and one that has not said it so long
/// after rank 0.
constexpr std::chrono::seconds kExitGrace{10};
/// Where all ranks here wait, one on another machine may be to blame: its own supervisor is first.
constexpr std::chrono::seconds kPrecedence{3};

}  // namespace

RankGroup::RankGroup(PollLoop& loop, RankGroupSetup setup, Handlers handlers)
    : loop_(loop),
      setup_(std::move(setup)),
      handlers_(std::move(handlers)),
      host_(hostName()),
      lastWatch_(Clock::now()) {
  const LocalRanks& ranks = setup_.ranks;
  ranks_.reserve(static_cast<std::size_t>(ranks.count));  // handlers keep references
  for (int local = 0; local < ranks.count; ++local) {
    ranks_.push_back(
        {local, ranks.place.node * ranks.count + local, StallWatch(setup_.limits, lastWatch_)});
  }
}

RankGroup::~RankGroup() {
  kill();  // at once, before each is waited for
  for (const PollLoop::TimerId timer : timers_) loop_.cancel(timer);
}

void RankGroup::start() {
  timers_.push_back(loop_.every(kWatchInterval, [this] { watch(); }));
  const int port = setup_.ranks.place.masterPort;
  startRank(ranks_.front(), port);
  if (port > 0) startOthers(port);
}

void LocalRanks::giveGpu(int rank, protocol::RankPlace& told) const {
  const auto index = static_cast<std::size_t>(rank);
  told.gpu = gpus.empty() ? place.gpu + rank : gpus.at(index);
  if (!devices.empty()) told.gpuName = gpuName(devices.at(index));
}

void RankGroup::startOthers(int masterPort) {
  for (Rank& rank : ranks_) {
    if (!rank.process && !isEnding_ && !cause_) startRank(rank, masterPort);
  }
}

protocol::Job RankGroup::jobOf(const Rank& rank, int masterPort) const {
  const LocalRanks& ranks = setup_.ranks;
  protocol::RankPlace place{.node = ranks.place.node,
                            .nodes = ranks.place.nodes,
                            .localRank = rank.local,
                            .localRanks = ranks.count,
                            .machineRanks = ranks.onMachine(),
                            .masterAddress = ranks.place.masterAddress,
                            .masterPort = masterPort,
                            .storeIsServed = ranks.place.storeIsServed};
  ranks.giveGpu(rank.local, place);
  return {std::move(place), setup_.work};
}

void RankGroup::startRank(Rank& rank, int masterPort) {
  rank.process = std::make_unique<WorkerProcess>(
      loop_, WorkerProcess::Handlers{
                 [this, &rank](const protocol::WorkerMessage& message) { take(rank, message); },
                 [this, &rank](const std::string& line) { handlers_.logLine(rank.number, line); },
                 [this, &rank](const WorkerExit& exit) { exited(rank, exit); }});
  rank.watch = StallWatch(setup_.limits, Clock::now());
  try {
    rank.process->start(setup_.program, jobOf(rank, masterPort));
  } catch (const Error& error) {
    RankSign sign;
    sign.kind = RankSign::Kind::Start;
    sign.error.message = error.what();
    sign.error.cause = protocol::FailureCause::Start;
    sign.status = error.status();
    noteSign(about(rank, std::move(sign)));
    endWhenAllAreGone();
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

bool RankGroup::isRunning() const {
  return std::any_of(ranks_.begin(), ranks_.end(),
                     [](const Rank& rank) { return rank.isRunning(); });
}

void RankGroup::take(Rank& rank, const protocol::WorkerMessage& message) {
  const auto now = Clock::now();
  if (const auto* heartbeat = std::get_if<protocol::Heartbeat>(&message)) {
    rank.watch.note(*heartbeat, now);
    // Only ranks know how many a node before theirs has.
    const WorldPlace& place = setup_.ranks.place;
    if (place.node > 0 && !place.isOneRank && heartbeat->rank > 0) rank.number = heartbeat->rank;
    return;
  }
  rank.watch.noteWork(now);
  if (const auto* listening = std::get_if<protocol::Listening>(&message)) {
    if (rank.local == 0) startOthers(listening->port);
  } else if (const auto* finished = std::get_if<protocol::Finished>(&message)) {
    rank.finished = *finished;
    rank.lastWord = now;
  } else if (const auto* failed = std::get_if<protocol::Failed>(&message)) {
    takeFailed(rank, *failed);
  } else {
    handlers_.message(rank.number, message);
  }
}

void RankGroup::takeFailed(Rank& rank, const protocol::Failed& failed) {
  const bool isItsOwn = failed.rank < 0 || failed.rank == rank.number;
  RankSign sign = signOfWords(failed);
  if (isItsOwn) {
    if (rank.hasSaidItsLast()) return;
    rank.lastWord = Clock::now();
    return noteSign(about(rank, std::move(sign)));
  }
  if (sign.error.host.empty()) sign.error.host = host_;
  noteSign(std::move(sign));
}

void RankGroup::exited(Rank& rank, const WorkerExit& exit) {
  if (!rank.hasSaidItsLast() && !rank.isKilled) noteSign(about(rank, signOfExit(exit)));
  endWhenAllAreGone();
}

/// The sign with this rank's name and, unless it says so itself, the place of its last heartbeat.
RankSign RankGroup::about(const Rank& rank, RankSign sign) const {
  protocol::RunError& error = sign.error;
  error.rank = rank.number;
  error.host = host_;
  if (error.phase.isEmpty()) {
    const protocol::Heartbeat& last = rank.watch.last();
    error.step = last.step;
    error.phase = last.phase;
    error.collective = last.collective;
  }
  return sign;
}

void RankGroup::noteSign(RankSign sign) {
  if (isEnding_ || isDone()) return;
  const bool isFirst = !cause_;
  if (isFirst || sign.kind < cause_->kind) cause_ = std::move(sign);
  if (cause_->kind <= RankSign::Kind::Signal) return kill();  // nothing weighs more
  if (isFirst) timers_.push_back(loop_.after(kCollectTime, [this] { kill(); }));
}

void RankGroup::watch() {
  const auto now = Clock::now();
  const bool isLate = now - std::exchange(lastWatch_, now) > kLateWatch;
  for (Rank& rank : ranks_) {
    if (isLate) rank.watch.forgive(now);
    if (!rank.isRunning() || !hasOverstayed(rank, now)) continue;
    rank.isKilled = true;
    rank.process->kill();
  }
  if (!isEnding_ && !isDone()) watchRanks(now);
}

bool RankGroup::hasOverstayed(const Rank& rank, Clock::time_point now) const {
  const Rank& last = !rank.hasSaidItsLast() && isDone() ? ranks_.front() : rank;
  return last.lastWord && now - *last.lastWord > kExitGrace;
}

void RankGroup::watchRanks(Clock::time_point now) {
  std::vector<const Rank*> ranks;
  std::vector<const StallWatch*> watches;
  for (const Rank& rank : ranks_) {
    if (!rank.isRunning() || rank.hasSaidItsLast()) continue;
    if (rank.watch.isSilent(now) && (rank.watch.hadHeartbeat() || rank.process->isStopped()))
      noteSign(about(rank, signOfStillness(RankSign::Kind::Silence, setup_.limits.silence)));
    ranks.push_back(&rank);
    watches.push_back(&rank.watch);
  }
  auto stalled = findStalled(watches, now);
  if (!stalled || cause_) return;
  const bool waits = watches[*stalled]->isWaiting();
  if (waits && setup_.ranks.place.nodes > 1) stalled = findStalled(watches, now - kPrecedence);
  if (!stalled) return;
  const auto kind =
      waits && setup_.ranks.worldSize() > 1 ? RankSign::Kind::StallAll : RankSign::Kind::Stall;
  noteSign(about(*ranks[*stalled], signOfStillness(kind, setup_.limits.stall)));
}

/// Rank 0 has what there is to have: how the others end does not matter any more.
bool RankGroup::isDone() const {
  return setup_.ranks.place.node == 0 && ranks_.front().finished.has_value();
}

void RankGroup::endWhenAllAreGone() {
  if (isRunning() || isReported_) return;
  isReported_ = true;
  isEnding_ = true;
  // Out of the loop: this is called from within a process's own work.
  timers_.push_back(loop_.after(std::chrono::milliseconds(0), [this] {
    const auto ended = std::move(handlers_.ended);
    ended(end());
  }));
}

RankGroupEnd RankGroup::end() const {
  const auto isFinished = [](const Rank& rank) { return rank.finished.has_value(); };
  if (isDone() || std::all_of(ranks_.begin(), ranks_.end(), isFinished))
    return {ranks_.front().finished, std::nullopt, remark()};
  if (!cause_) return {};
  const auto log = setup_.logOf ? setup_.logOf(cause_->error.rank) : std::filesystem::path();
  return {std::nullopt, describeFailure(*cause_, setup_.ranks.worldSize(), log), ""};
}

std::string RankGroup::remark() const {
  for (const Rank& rank : ranks_) {
    if (rank.finished || !rank.process) continue;
    return "rank " + std::to_string(rank.number) + " did not end as it should after rank 0 had";
  }
  return {};
}

}  // namespace lockstep::supervisor
