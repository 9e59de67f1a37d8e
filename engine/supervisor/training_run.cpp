#include "engine/supervisor/training_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <variant>

#include "engine/base/clock.h"
#include "engine/base/number_text.h"
#include "engine/config/load.h"
#include "engine/supervisor/machine.h"

namespace lockstep::supervisor {
namespace {

/// At the end, clients that are slow to take the last records are waited for this long.
constexpr std::chrono::seconds kDrainTime{2};

TrainingProgress makeProgress(const config::Experiment& experiment) {
  return TrainingProgress(static_cast<std::int64_t>(experiment.solver.maxSteps.count),
                          static_cast<std::int64_t>(experiment.monitor.logEvery.count));
}

FileDescriptor openRankLog(const std::filesystem::path& file) {
  FileDescriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!opened.isOpen()) throw Error(file.string() + ": cannot be written: " + std::strerror(errno));
  return opened;
}

}  // namespace

TrainingRun::TrainingRun(TrainingSetup setup, std::function<void()> onListening)
    : setup_(std::move(setup)),
      folder_(FileIdentity::of(setup_.layout.folder())),
      log_(setup_.layout.engineLog()),
      rankLog_(openRankLog(setup_.layout.rankLog(0))),
      progress_(makeProgress(setup_.experiment)),
      recorder_(makeRecorder()),
      signals_(
          loop_, [this](int signal) { stopOnSignal(signal); }, [this] { worker_.reap(); }),
      worker_(loop_, {[this](const protocol::WorkerMessage& message) {
                        std::visit([this](const auto& content) { take(content); }, message);
                      },
                      [this](const std::string& line) { takeLogLine(line); },
                      [this](const WorkerExit& exit) { workerExited(exit); }}),
      stallWatch_(std::chrono::duration<double>(setup_.experiment.runtime.stallSeconds),
                  Clock::now()),
      onListening_(std::move(onListening)) {}

RunRecorder TrainingRun::makeRecorder() {
  // A detached run lives on in a child of the process that planned it.
  setup_.info.pid = ::getpid();
  const auto onAlert = [this](const events::Alert& alert) {
    log_.say("engine", "alert kind=" + alert.kind + " step=" + std::to_string(alert.step) + ": " +
                           alert.text);
    // The log cannot tell it while the disk refuses: clients hear it at once.
    if (alert.kind == protocol::kWriteFailed && server_)
      server_->sendToAll(protocol::AlertMessage{alert.kind, alert.step, alert.text});
  };
  return RunRecorder(setup_.layout, setup_.info, setup_.experiment.checkpoint, setup_.resume,
                     onAlert);
}

TrainingRun::~TrainingRun() = default;

ExitStatus TrainingRun::run() {
  try {
    serveToTheEnd();
  } catch (const std::exception& error) {
    recordOwnFailure(error.what());
    throw;
  }
  return outcome_->status;
}

void TrainingRun::serveToTheEnd() {
  server_ = std::make_unique<SocketServer>(loop_, setup_.info.socket, static_cast<Service&>(*this));
  requests_ = std::make_unique<WorkerRequests>(
      *server_, [this](const protocol::Control& control) { worker_.send(control); });
  recorder_.setState("starting");
  if (!setup_.fork.empty()) {
    log_.say("engine", setup_.fork);
    recorder_.recordLog("info", setup_.fork);
  }
  if (onListening_) onListening_();
  startWorker();
  loop_.every(std::chrono::seconds(1), [this] { everySecond(); });
  loop_.eachTurn([this] { return endWhenDrained(); });
  loop_.run();
  recorder_.finish();
}

/// The folder says what became of the run, as far as it still can; the first fault is the one told.
void TrainingRun::recordOwnFailure(const std::string& reason) {
  if (folderIsGone()) return;
  try {
    recorder_.setState("failed", errorAt(reason, "supervisor"));
    recorder_.finish();
  } catch (const std::exception& error) {
    log_.say("engine", std::string("the failure could not be recorded: ") + error.what());
  }
}

void TrainingRun::startWorker() {
  protocol::Job job;
  job.kind = "train";
  job.configYaml = config::writeExperiment(setup_.experiment);
  job.runFolder = setup_.layout.folder().string();
  if (setup_.resume && setup_.resume->step > 0)
    job.resumeFrom = setup_.layout.checkpoint(setup_.resume->step).string();
  try {
    worker_.start(setup_.workerProgram, job);
  } catch (const Error& error) {
    conclude({"failed", ExitStatus::Failed, errorAt(error.what(), "start")});
  }
}

void TrainingRun::stopOnSignal(int signal) {
  // A hang-up comes from a terminal that is gone, often several times and beside SIGTERM: it only
  // asks, it is nobody's second thought.
  if (signal != SIGHUP) ++signalsThatCount_;
  if (!stopRequested_) return requestStop(signalName(signal));
  if (!worker_.isRunning()) return;
  if (signalsThatCount_ < 2) {
    log_.say("engine", signalName(signal) + ": stopping already; a second one kills");
    return;
  }
  killedBy_ = signalName(signal);
  log_.say("engine", "second " + killedBy_ + ": the worker is killed");
  worker_.kill();
}

void TrainingRun::requestStop(const std::string& reason) {
  if (stopRequested_ || !worker_.isRunning()) return;
  stopRequested_ = true;
  log_.say("engine", "stopping with a checkpoint (" + reason + "); a second signal kills");
  worker_.send({.name = "stop", .id = "", .predict = {}, .out = ""});
  recorder_.setState("stopping");
}

bool TrainingRun::folderIsGone() const {
  return FileIdentity::of(setup_.layout.folder()) != folder_;
}

void TrainingRun::everySecond() {
  // Nothing of what goes on could be kept; the worker ends with this process's part of its socket.
  if (folderIsGone()) {
    throw Error(setup_.layout.folder().string() +
                ": the run folder was removed or renamed while the run went on: stopped at step " +
                std::to_string(recorder_.info().step) + ", and nothing more is kept");
  }
  recorder_.refresh();
  server_->restoreSocket();
  const auto now = Clock::now();
  if (!worker_.isRunning()) return;
  if (graceEnd_) {
    if (now > *graceEnd_) worker_.kill();
  } else if (const auto stall = stallWatch_.stall(now); stall && !stall_) {
    stall_ = stall;
    worker_.kill();
  }
}

bool TrainingRun::endWhenDrained() {
  if (outcome_ && (server_->isCaughtUp() || Clock::now() > drainEnd_)) loop_.stop();
  return false;
}

void TrainingRun::workerExited(const WorkerExit& exit) {
  requests_->failAll("the run has ended");
  conclude(outcomeOf(exit));
}

bool TrainingRun::hasCheckpointOf(std::int64_t step) const {
  const auto steps = run_folder::checkpointSteps(setup_.layout);
  return std::binary_search(steps.begin(), steps.end(), step);
}

/// The run has ended, and its last step has no checkpoint.
TrainingRun::Outcome TrainingRun::lostCheckpoint() const {
  const auto steps = run_folder::checkpointSteps(setup_.layout);
  const std::string newest =
      steps.empty() ? "there is none before it"
                    : "resume from the newest one, of step " + std::to_string(steps.back());
  return {"failed", ExitStatus::Failed,
          errorAt("the last checkpoint could not be kept: make room on the disk; " + newest,
                  "checkpoint")};
}

TrainingRun::Outcome TrainingRun::outcomeOf(const WorkerExit& exit) const {
  const std::string rankLog = setup_.layout.rankLog(0).string();
  if (finished_ &&
      (lastCheckpointLost_ || (finished_->stopped && !hasCheckpointOf(finished_->step))))
    return lostCheckpoint();
  if (finished_ && finished_->stopped) return {"stopped", ExitStatus::Stopped, std::nullopt};
  if (finished_) return {"finished", ExitStatus::Done, std::nullopt};
  if (!killedBy_.empty()) {
    return {"failed", ExitStatus::Killed, errorAt("killed by a second " + killedBy_, killedBy_)};
  }
  if (stall_) {
    const std::string limit = base::shortNumber(setup_.experiment.runtime.stallSeconds);
    return {
        "failed", ExitStatus::Failed,
        errorAt("rank 0 " + *stall_ + " for " + limit + " s (runtime.stall_seconds) and was killed",
                "stalled")};
  }
  if (failed_) {
    protocol::RunError error = errorAt(failed_->message, failed_->cause);
    if (!failed_->phase.empty()) {  // it knows better than its last heartbeat
      error.step = failed_->step;
      error.phase = failed_->phase;
      error.collective = failed_->collective;
    }
    return {"failed", static_cast<ExitStatus>(failed_->exitStatus), error};
  }
  const std::string how =
      exit.bySignal ? "was ended by " + exit.describe() : "ended with " + exit.describe();
  const std::string hint = exit.bySignal && exit.code == SIGKILL ? " (out of memory?)" : "";
  return {"failed", ExitStatus::Failed,
          errorAt("rank 0 " + how + hint + "; its last lines are at the end of " + rankLog,
                  exit.describe())};
}

protocol::RunError TrainingRun::errorAt(const std::string& message,
                                        const std::string& cause) const {
  protocol::RunError error;
  error.message = message;
  error.host = hostName();
  error.step = heartbeat_.step > 0 ? heartbeat_.step : recorder_.info().step;
  error.phase = heartbeat_.phase;
  error.collective = heartbeat_.collective;
  error.cause = cause;
  return error;
}

void TrainingRun::conclude(Outcome outcome) {
  if (outcome.error) {
    const protocol::RunError& error = *outcome.error;
    const std::string where = error.step > 0
                                  ? " [step " + std::to_string(error.step) +
                                        (error.phase.empty() ? "" : ", " + error.phase) + "]"
                                  : "";
    log_.say("engine", error.message + where);
  } else {
    log_.say("engine", outcome.state + " at step " + std::to_string(recorder_.info().step));
  }
  recorder_.setState(outcome.state, outcome.error);
  outcome_ = std::move(outcome);
  drainEnd_ = Clock::now() + kDrainTime;
}

}  // namespace lockstep::supervisor
