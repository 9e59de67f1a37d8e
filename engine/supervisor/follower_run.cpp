#include "engine/supervisor/follower_run.h"

#include <optional>
#include <variant>

#include "engine/supervisor/device_turn.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/rank_group.h"
#include "engine/supervisor/run_log.h"
#include "engine/supervisor/stop_signals.h"

namespace lockstep::supervisor {
namespace {

class FollowerRun {
 public:
  explicit FollowerRun(const FollowerSetup& setup)
      : turn_(setup.ranks.lockedDevices(setup.onGpus), setup.ranks.holder(""),
              [this](const std::string& text) { log_.warn("engine", text); }),
        signals_(
            loop_, [this](const StopSignal& signal) { stopOnSignal(signal); },
            [this] { ranks_.reap(); }),
        ranks_(loop_, groupOf(setup),
               {[this](int rank, const protocol::WorkerMessage& message) { handle(rank, message); },
                [this](int rank, const std::string& line) { log_.write(nameOf(rank), line); },
                [this](const RankGroupEnd& end) {
                  end_ = end;
                  loop_.stop();
                }}) {}

  ExitStatus run() {
    turn_.takeNow();
    ranks_.start();
    loop_.every(std::chrono::seconds(1), [this] { turn_.keep(); });
    loop_.run();
    if (end_.failure) throw Error(end_.failure->line, end_.failure->status);
    if (end_.finished) return end_.finished->stopped ? ExitStatus::Stopped : ExitStatus::Done;
    if (killedBy_.empty()) return ExitStatus::Stopped;  // before the ranks had joined
    throw Error("killed by a second " + killedBy_, ExitStatus::Killed);
  }

 private:
  static RankGroupSetup groupOf(const FollowerSetup& setup) {
    return {setup.workerProgram, protocol::TrainJob(), setup.ranks, setup.limits, {}};
  }

  static std::string nameOf(int rank) { return "rank " + std::to_string(rank); }

  void handle(int rank, const protocol::WorkerMessage& message) {
    if (const auto* log = std::get_if<protocol::Log>(&message)) log_.write(nameOf(rank), *log);
  }

  void stopOnSignal(const StopSignal& signal) {
    const std::string name = signalName(signal.number);
    if (!stopRequested_) {
      stopRequested_ = true;
      return requestStop(name);
    }
    if (!signal.isRepeated || ranks_.isEnding()) return;
    killedBy_ = name;
    ranks_.kill();
  }

  void requestStop(const std::string& name) {
    if (!ranks_.hasJoined()) {
      log_.write("engine", name + ": stopped before the ranks had joined");
      return ranks_.kill();
    }
    log_.write("engine",
               name + ": rank 0 is asked to stop with a checkpoint; a second signal kills");
    ranks_.sendToAll({.action = protocol::Stop()});
  }

  RunLog log_;
  PollLoop loop_;
  DeviceTurn turn_;
  StopSignals signals_;
  RankGroup ranks_;
  RankGroupEnd end_;
  std::string killedBy_;
  bool stopRequested_ = false;
};

}  // namespace

ExitStatus runFollower(const FollowerSetup& setup) { return FollowerRun(setup).run(); }

}  // namespace lockstep::supervisor
