#include "engine/supervisor/one_shot_job.h"

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <variant>

#include "engine/base/error.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/rank_group.h"
#include "engine/supervisor/run_log.h"
#include "engine/supervisor/stop_signals.h"

namespace lockstep::supervisor {
namespace {

/// How many of its last log lines are shown of a worker that exited unexpectedly.
constexpr std::size_t kShownLines = 50;
/// How often progress is logged where there is no terminal.
constexpr std::chrono::seconds kProgressInterval{5};
constexpr std::chrono::seconds kInterruptGrace{10};

/// Jobs of datasets make a folder, which they remove when they are stopped.
bool makesFolder(const protocol::Work& work) {
  return std::visit(
      []<typename Job>(const Job&) {
        return std::is_same_v<Job, protocol::ShapesJob> ||
               std::is_same_v<typename Job::Result, protocol::DatasetReport>;
      },
      work);
}

class OneShotJob {
 public:
  OneShotJob(const std::filesystem::path& program, protocol::Work work, const LocalRanks& ranks)
      : leavesFolder_(makesFolder(work)),
        signals_(
            loop_, [this](const StopSignal& signal) { interrupt(signal); },
            [this] { ranks_.reap(); }),
        ranks_(loop_, {program, std::move(work), ranks, {}, {}},
               {[this](int rank, const protocol::WorkerMessage& message) { handle(rank, message); },
                [this](int rank, const std::string& line) { handleLogLine(rank, line); },
                [this](const RankGroupEnd& end) { ended(end); }}) {}

  protocol::Result run() {
    ranks_.start();
    loop_.run();
    if (error_) throw *error_;
    return std::move(result_);
  }

 private:
  /// A worker removes the folder that it is making first; a second signal does not wait for that.
  void interrupt(const StopSignal& signal) {
    const bool isFirst = interruptedBy_.empty();
    interruptedBy_ = signalName(signal.number);
    if (isFirst && leavesFolder_) {
      ranks_.send({.action = protocol::Stop()});
      loop_.after(kInterruptGrace, [this] { ranks_.kill(); });
    } else {
      ranks_.kill();
    }
  }

  void handle(int rank, const protocol::WorkerMessage& message) {
    const std::string part = rank == 0 ? "worker" : "rank " + std::to_string(rank);
    if (const auto* log = std::get_if<protocol::Log>(&message)) return log_.write(part, *log);
    const auto* progress = std::get_if<protocol::Progress>(&message);
    if (progress != nullptr && rank == 0) showProgress(*progress);
  }

  void showProgress(const protocol::Progress& progress) {
    const std::string text =
        progress.text + " " + std::to_string(progress.done) + "/" + std::to_string(progress.total);
    log_.showStatus(text);
    const auto now = PollLoop::Clock::now();
    if (log_.isTerminal() ||
        (progress.done < progress.total && now - lastProgress_ < kProgressInterval))
      return;
    lastProgress_ = now;
    log_.write("worker", text);
  }

  void handleLogLine(int rank, const std::string& line) {
    std::deque<std::string>& lines = lastLines_[rank];
    lines.push_back(line);
    if (lines.size() > kShownLines) lines.pop_front();
    log_.forwardWarning(line, rank);
  }

  void ended(const RankGroupEnd& end) {
    log_.showStatus("");
    if (!interruptedBy_.empty()) {
      error_ = Error("terminated by " + interruptedBy_, ExitStatus::Killed);
    } else if (end.failure) {
      error_ = errorOf(*end.failure);
    } else {
      result_ = end.finished->result;
    }
    loop_.stop();
  }

  Error errorOf(const RankFailure& failure) {
    if (failure.isExplained) return Error(failure.error.message, failure.status);
    for (const std::string& line : lastLines_[failure.error.rank]) log_.writeLine(line);
    return Error("the job ended without a result: " + failure.line);
  }

  bool leavesFolder_;
  RunLog log_;
  PollLoop loop_;
  StopSignals signals_;
  RankGroup ranks_;
  protocol::Result result_;
  std::optional<Error> error_;
  std::string interruptedBy_;
  std::map<int, std::deque<std::string>> lastLines_;
  PollLoop::Clock::time_point lastProgress_ = PollLoop::Clock::now();
};

}  // namespace

protocol::Result runOneShotWork(const std::filesystem::path& workerProgram, protocol::Work work,
                                const LocalRanks& ranks) {
  return OneShotJob(workerProgram, std::move(work), ranks).run();
}

}  // namespace lockstep::supervisor
