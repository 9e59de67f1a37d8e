#include "engine/supervisor/one_shot_job.h"

#include <chrono>
#include <deque>
#include <optional>
#include <variant>

#include "engine/base/error.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/run_log.h"
#include "engine/supervisor/stop_signals.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::supervisor {
namespace {

/// Lines of a worker that died without a word which are shown.
constexpr std::size_t kShownLines = 50;
/// Without a terminal, progress is said this often.
constexpr std::chrono::seconds kProgressInterval{5};
constexpr std::chrono::seconds kExitGrace{10};

class OneShotJob {
 public:
  OneShotJob()
      : signals_(
            loop_, [this](int signal) { interrupt(signal); }, [this] { worker_.reap(); }),
        worker_(loop_, {[this](const protocol::WorkerMessage& message) { take(message); },
                        [this](const std::string& line) { takeLogLine(line); },
                        [this](const WorkerExit& exit) { exited(exit); }}) {}

  std::string run(const std::filesystem::path& program, const protocol::Job& job) {
    leavesFolder_ = job.kind == "shapes";
    worker_.start(program, job);
    loop_.every(std::chrono::seconds(1), [this] {
      if (graceEnd_ && PollLoop::Clock::now() > *graceEnd_) worker_.kill();
    });
    loop_.run();
    if (fault_) throw *fault_;
    return finished_->result;
  }

 private:
  /// A worker that has a folder half made removes it first; a second signal does not wait for that.
  void interrupt(int signal) {
    const bool isFirst = interruptedBy_.empty();
    interruptedBy_ = signalName(signal);
    if (isFirst && leavesFolder_) {
      worker_.send({.name = "stop", .id = "", .predict = {}, .out = ""});
      graceEnd_ = PollLoop::Clock::now() + kExitGrace;
    } else {
      worker_.kill();
    }
  }

  void take(const protocol::WorkerMessage& message) {
    if (const auto* progress = std::get_if<protocol::Progress>(&message)) {
      showProgress(*progress);
    } else if (const auto* log = std::get_if<protocol::WorkerLog>(&message)) {
      log_.say("worker", *log);
    } else if (const auto* finished = std::get_if<protocol::Finished>(&message)) {
      finished_ = *finished;
      graceEnd_ = PollLoop::Clock::now() + kExitGrace;
    } else if (const auto* failed = std::get_if<protocol::Failed>(&message)) {
      failed_ = *failed;
      graceEnd_ = PollLoop::Clock::now() + kExitGrace;
    }
  }

  void showProgress(const protocol::Progress& progress) {
    const std::string text =
        progress.text + " " + std::to_string(progress.done) + "/" + std::to_string(progress.total);
    log_.status(text);
    const auto now = PollLoop::Clock::now();
    if (log_.isTerminal() ||
        (progress.done < progress.total && now - lastProgress_ < kProgressInterval))
      return;
    lastProgress_ = now;
    log_.say("worker", text);
  }

  void takeLogLine(const std::string& line) {
    lastLines_.push_back(line);
    if (lastLines_.size() > kShownLines) lastLines_.pop_front();
    log_.passOn(line);
  }

  void exited(const WorkerExit& exit) {
    log_.status("");
    if (!interruptedBy_.empty()) {
      fault_ = Error("ended by " + interruptedBy_, ExitStatus::Killed);
    } else if (failed_) {
      fault_ = Error(failed_->message, static_cast<ExitStatus>(failed_->exitStatus));
    } else if (!finished_) {
      for (const std::string& line : lastLines_) log_.line(line);
      fault_ = Error("the worker ended without a result (" + exit.describe() + ")");
    }
    loop_.stop();
  }

  RunLog log_;
  PollLoop loop_;
  StopSignals signals_;
  WorkerProcess worker_;
  std::optional<protocol::Finished> finished_;
  std::optional<protocol::Failed> failed_;
  std::optional<Error> fault_;
  std::string interruptedBy_;
  bool leavesFolder_ = false;
  std::deque<std::string> lastLines_;
  std::optional<PollLoop::Clock::time_point> graceEnd_;
  PollLoop::Clock::time_point lastProgress_ = PollLoop::Clock::now();
};

}  // namespace

std::string runOneShotJob(const std::filesystem::path& workerProgram, const protocol::Job& job) {
  return OneShotJob().run(workerProgram, job);
}

}  // namespace lockstep::supervisor
