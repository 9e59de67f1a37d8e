#include "engine/supervisor/training_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/clock.h"
#include "engine/config/load.h"
#include "engine/supervisor/machine.h"
#include "engine/supervisor/process_usage.h"

namespace lockstep::supervisor {
namespace {

/// Of the ranks of node 0, which come first in the world.
std::vector<base::FileDescriptor> openRankLogs(const TrainingSetup& setup) {
  std::vector<base::FileDescriptor> logs;
  for (int rank = 0; rank < setup.ranks.count; ++rank) {
    const std::filesystem::path file = setup.layout.rankLog(rank);
    logs.emplace_back(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!logs.back().isOpen())
      throw Error(file.string() + ": cannot be written: " + std::strerror(errno));
  }
  return logs;
}

}  // namespace

TrainingRun::TrainingRun(TrainingSetup setup, std::function<void()> onListening)
    : setup_(std::move(setup)),
      folder_(base::FileIdentity::of(setup_.layout.folder())),
      log_(setup_.layout.engineLog()),
      rankLogs_(openRankLogs(setup_)),
      progress_(makeProgress(setup_.experiment)),
      recorder_(makeRecorder()),
      signals_(
          loop_, [this](int signal) { stopOnSignal(signal); },
          [this] {
            if (ranks_) ranks_->reap();
          }),
      deviceUse_(usableCores()),
      restarts_(setup_.ranks.place.launcher.empty() ? setup_.experiment.runtime.maxRestarts : 0),
      onListening_(std::move(onListening)) {}

TrainingProgress TrainingRun::makeProgress(const config::Experiment& experiment) {
  return TrainingProgress(experiment.solver.maxSteps.steps(), experiment.monitor.logEvery.steps());
}

RunRecorder TrainingRun::makeRecorder() {
  // A detached run lives on in a child of the process that planned it.
  setup_.info.pid = ::getpid();
  const auto onAlert = [this](const protocol::Alert& alert) {
    if (alert.kind == protocol::AlertKind::RunFailed) return;  // the failure has a line of its own
    log_.say("engine", "alert kind=" + alert.kind.text() + " step=" + std::to_string(alert.step) +
                           ": " + alert.text);
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
      *server_, [this](const protocol::Control& control) { ranks_->send(control); });
  if (setup_.silentEnd) {
    log_.say("engine", setup_.silentEnd->message);
    recorder_.recordSilentEnd(*setup_.silentEnd);
  }
  recorder_.setState(protocol::RunState::Starting);
  tellGapsOfTheLog();
  keepSocket();
  for (const std::string& remark : setup_.remarks) {
    log_.say("engine", remark);
    recorder_.recordLog(base::LogLevel::Info, remark);
  }
  for (const std::string& remark : setup_.ranks.remarks) {
    log_.fileLine("[engine] " + remark);
    recorder_.recordLog(base::LogLevel::Info, remark);
  }
  if (onListening_) onListening_();
  startRanks();
  watchGpus();
  loop_.every(std::chrono::seconds(1), [this] { everySecond(); });
  loop_.eachTurn([this] { return endWhenDrained(); });
  loop_.run();
  recorder_.finish();
}

/// Checkpoints may outlive their curves: a full disk, a damaged file, one that was removed.
void TrainingRun::tellGapsOfTheLog() {
  if (!setup_.resume || recorder_.journal().lackingSteps() <= 0) return;
  warn(recorder_.journal().path().string() + ": lacks the figures of " +
       std::to_string(recorder_.journal().lackingSteps()) + " of the " +
       std::to_string(setup_.resume->step) + " steps before; curves have a gap there");
}

/// The folder says what became of the run, as far as it still can; the first fault is the one told.
void TrainingRun::recordOwnFailure(const std::string& reason) {
  if (folderIsGone()) return;
  try {
    recorder_.setState(protocol::RunState::Failed,
                       errorAt(reason, protocol::FailureCause::Supervisor));
    recorder_.finish();
  } catch (const std::exception& error) {
    log_.say("engine", std::string("the failure could not be recorded: ") + error.what());
  }
}

void TrainingRun::startRanks() {
  protocol::TrainJob job{.configYaml = config::writeExperiment(setup_.experiment),
                         .runFolder = setup_.layout.folder().string(),
                         .checkpointPatience = setup_.checkpointPatience};
  if (setup_.resume && setup_.resume->step > 0)
    job.resumeFrom = setup_.layout.checkpoint(setup_.resume->step).string();
  RankGroupSetup group{setup_.workerProgram, std::move(job), setup_.ranks, {}, {}};
  group.limits.stall = std::chrono::duration<double>(setup_.experiment.runtime.stallSeconds);
  group.logOf = [this](int rank) { return setup_.layout.rankLog(rank); };
  ranks_ = std::make_unique<RankGroup>(
      loop_, std::move(group),
      RankGroup::Handlers{
          [this](int rank, const protocol::WorkerMessage& message) { takeMessage(rank, message); },
          [this](int rank, const std::string& line) { takeLogLine(rank, line); },
          [this](const RankGroupEnd& end) { ranksEnded(end); }});
  startsAfter_.reset();
  attemptStart_ = Clock::now();
  ranks_->start();
  if (pauseRequested_) tellRanks(protocol::Pause());
}

void TrainingRun::watchGpus() {
  std::vector<GpuDevice> gpus;  // two ranks may share one
  std::vector<int> indices;
  for (const GpuDevice& gpu : setup_.ranks.devices) {
    if (std::find(indices.begin(), indices.end(), gpu.index) != indices.end()) continue;
    indices.push_back(gpu.index);
    gpus.push_back(gpu);
  }
  if (gpus.empty()) return;
  gpuWatch_ = std::make_unique<GpuWatch>(
      loop_, indices, [this, gpus](std::size_t place, const GpuFigures& figures) {
        takeFigures(gpus.at(place), figures);
      });
  if (!gpuWatch_->fault().empty())
    warn("there will be no figures of GPUs: the system gives no process for them (" +
         gpuWatch_->fault() + "; `ulimit -a` shows the limits)");
}

void TrainingRun::takeFigures(const GpuDevice& gpu, const GpuFigures& figures) {
  deviceUse_.add(gpu.index, figures);
  if (!figures.isLost) return;
  warn(gpuName(gpu) + " is lost: the driver cannot reach it (dmesg | grep -i xid says why)");
}

void TrainingRun::warn(const std::string& text) {
  log_.say("engine", "warning: " + text);
  recorder_.recordLog(base::LogLevel::Warning, text);
}

void TrainingRun::stopOnSignal(int signal) {
  // A hang-up comes from a terminal that is gone, often several times and beside SIGTERM: it only
  // asks, it is nobody's second thought.
  if (signal != SIGHUP) ++signalsThatCount_;
  if (waiting_ && !isRunning()) {
    waiting_->end = Clock::now();  // no more tries
    return;
  }
  if (!stopRequested_) return requestStop(signalName(signal));
  if (!isRunning()) return;
  if (signalsThatCount_ < 2) {
    log_.say("engine", signalName(signal) + ": stopping already; a second one kills");
    return;
  }
  killedBy_ = signalName(signal);
  log_.say("engine", "second " + killedBy_ + ": the run is killed");
  ranks_->kill();
}

void TrainingRun::requestStop(const std::string& reason) {
  if (stopRequested_ || (!isRunning() && !startsAfter_)) return;
  stopRequested_ = true;
  if (startsAfter_) return stopBeforeStart();
  log_.say("engine", "stopping with a checkpoint (" + reason + "); a second signal kills");
  tellRanks(protocol::Stop());
  recorder_.setState(protocol::RunState::Stopping);
}

bool TrainingRun::folderIsGone() const {
  return base::FileIdentity::of(setup_.layout.folder()) != folder_;
}

void TrainingRun::everySecond() {
  // Nothing of what goes on could be kept; the ranks end with this process.
  if (folderIsGone()) {
    throw Error(setup_.layout.folder().string() +
                ": the run folder was removed or renamed while the run went on: stopped at step " +
                std::to_string(recorder_.info().step) + ", and nothing more is kept");
  }
  const std::vector<pid_t> ranks = ranks_ ? ranks_->pids() : std::vector<pid_t>();
  deviceUse_.add(usageOf(ranks), ranks, Clock::now());
  recorder_.refresh();
  insistOnLastCheckpoint();
  keepSocket();
}

/// A run that nobody can watch is better than none: what clients miss, they read in the run folder.
void TrainingRun::keepSocket() {
  if (const auto trouble = server_->restoreSocket())
    warn(*trouble + " (training goes on, and clients cannot connect until then)");
}

bool TrainingRun::endWhenDrained() {
  if (outcome_ && (server_->isCaughtUp() || Clock::now() > drainEnd_)) loop_.stop();
  return false;
}

}  // namespace lockstep::supervisor
