#include "engine/supervisor/training_run.h"

#include <unistd.h>

#include "engine/alerts/alert_detector.h"
#include "engine/config/load.h"

namespace lockstep::supervisor {
namespace {

/// How long the end of the run waits for clients that are slow to read the last records.
constexpr std::chrono::seconds kDrainTime{2};

TrainingProgress progressOf(const config::Experiment& experiment) {
  return TrainingProgress(experiment.solver.maxSteps.steps(), experiment.monitor.logEvery.steps());
}

RunRecorder recorderOf(const TrainingSetup& setup, RunLog& log, EventCommands& commands) {
  run_folder::RunInfo info = setup.info;
  info.pid = ::getpid();  // a detached run lives on in a child of the process that planned it
  const auto onAlert = [&log, &commands](const protocol::Alert& alert) {
    commands.alert(alert);
    if (alert.kind == protocol::AlertKind::RunFailed) return;  // the failure has a line of its own
    log.write("engine", "alert kind=" + alert.kind.text() + " step=" + std::to_string(alert.step) +
                            ": " + alerts::textWithRemedy(alert));
  };
  const auto onBest = [&commands](const run_folder::Best& best, const std::filesystem::path& kept) {
    commands.best(best, kept);
  };
  return RunRecorder(
      setup.layout, std::move(info), setup.experiment.checkpoint, setup.resume,
      {onAlert, onBest, [&commands](std::int64_t step) { return commands.needsCheckpoint(step); }});
}

}  // namespace

TrainingRun::TrainingRun(TrainingSetup setup)
    : setup_(std::move(setup)),
      log_(setup_.layout.engineLog()),
      rankLogs_(setup_.layout, setup_.ranks.count),
      commands_(loop_, log_, setup_.experiment.monitor.onEvent, setup_.layout, setup_.info.name),
      progress_(progressOf(setup_.experiment)),
      recorder_(recorderOf(setup_, log_, commands_)),
      turn_(setup_.ranks.lockedDevices(setup_.experiment.runtime.device == config::Device::Cuda),
            setup_.ranks.holder(setup_.layout.folder().string()),
            [this](const std::string& text) { warn(text); }),
      devices_(loop_, setup_.ranks.devices, [this](const std::string& text) { warn(text); }),
      checkpoints_(recorder_, log_, std::chrono::duration<double>(setup_.checkpointPatience)),
      service_(loop_, {turn_, recorder_, progress_, control_,
                       [this](const std::string& reason) { requestStop(reason); },
                       [this](int position) {
                         turn_.moveTo(position);
                         recorder_.setQueuePosition(turn_.position());
                       }}),
      messages_(
          {recorder_, log_, checkpoints_, progress_, devices_, service_.requests(), control_}),
      signals_(
          loop_, [this](const StopSignal& signal) { stopOnSignal(signal); },
          [this] {
            if (control_.ranks) control_.ranks->reap();
            commands_.reap();
          }),
      restarts_(setup_.ranks.cluster.launcher.empty() ? setup_.experiment.runtime.maxRestarts : 0) {
}

/// The ranks first: their handlers call messages_ and service_, which are destroyed before
/// control_.
TrainingRun::~TrainingRun() { control_.ranks.reset(); }

ExitStatus TrainingRun::run(const std::function<void()>& onListening) {
  try {
    serve(onListening);
  } catch (const std::exception& error) {
    endByOwnFailure(error.what());
    throw;
  }
  return outcome_->status;
}

void TrainingRun::serve(const std::function<void()>& onListening) {
  recordStart();
  const bool waits = setup_.info.queuePosition.has_value();
  if (waits) enterQueue();
  if (onListening) onListening();
  if (!waits) {
    turn_.takeNow();
    start();
  }
  secondTimer_ = loop_.every(std::chrono::seconds(1), [this] { everySecond(); });
  loop_.eachTurn([this] {
    if (outcome_ && !isWritten_ && service_.server().isCaughtUp()) loop_.stop();
    return false;
  });
  loop_.run();
  recorder_.finish();
  isWritten_ = true;
  runEndCommand();
}

/// Nothing else is left to do, and the devices are free: only commands are waited for, each as long
/// as it may take.
void TrainingRun::runEndCommand() {
  commands_.end(recorder_.info());
  if (commands_.isIdle()) return;
  loop_.cancel(secondTimer_);  // the command may move the run folder
  loop_.every(std::chrono::milliseconds(50), [this] {
    if (commands_.isIdle()) loop_.stop();
  });
  while (!commands_.isIdle()) loop_.run();  // the time for clients may be over meanwhile
}

/// Opens the socket, and records what is known before the ranks start.
void TrainingRun::recordStart() {
  recorder_.record(protocol::Config{.experiment = config::writeExperiment(setup_.experiment)});
  recorder_.recordHyperParameters(setup_.experiment);
  if (setup_.unexpectedExit) {
    log_.write("engine", setup_.unexpectedExit->message);
    recorder_.recordUnexpectedExit(*setup_.unexpectedExit);
  }
  recorder_.setState(setup_.info.queuePosition ? protocol::RunState::Queued
                                               : protocol::RunState::Starting);
  const EventLog& eventLog = recorder_.eventLog();
  if (setup_.resume && eventLog.missingSteps() > 0) {
    // Checkpoints may outlive their curves: a full disk, a damaged file, one that was removed.
    warn(eventLog.path().string() + ": has no metrics for " +
         std::to_string(eventLog.missingSteps()) + " of the " +
         std::to_string(setup_.resume->step) + " earlier steps; curves have a gap there");
  }
  restoreSocket();
  if (!setup_.bitsDifference.empty()) warn(setup_.bitsDifference);
  for (const std::string& line : setup_.resumeLines) {
    log_.write("engine", line);
    recorder_.recordLog(base::LogLevel::Info, line);
  }
  for (const std::string& line : setup_.ranks.choiceLines) {
    log_.writeToFile("[engine] " + line);
    recorder_.recordLog(base::LogLevel::Info, line);
  }
}

/// The ranks read experiment and data when they start: nothing of what was checked before is
/// checked again, and what has changed to the worse meanwhile fails the run.
void TrainingRun::enterQueue() {
  turn_.enterQueue(setup_.info.created, *setup_.info.queuePosition);
  recorder_.setQueuePosition(turn_.position());
  const std::string text =
      "queued at position " + std::to_string(turn_.position()) + " for " + turn_.deviceNames();
  log_.write("engine", text);
  recorder_.recordLog(base::LogLevel::Info, text);
  loop_.after(std::chrono::milliseconds(0), [this] { awaitTurn(); });
}

void TrainingRun::awaitTurn() {
  if (!turn_.isWaiting()) return;
  if (!turn_.tryTake()) return recorder_.setQueuePosition(turn_.position());
  recorder_.setState(protocol::RunState::Starting);
  start();
}

void TrainingRun::start() {
  startRanks();
  devices_.start();
}

void TrainingRun::startRanks() {
  protocol::TrainJob job{.configYaml = config::writeExperiment(setup_.experiment),
                         .runFolder = setup_.layout.folder().string(),
                         .checkpointPatience = setup_.checkpointPatience,
                         .isRangeTest = setup_.info.isRangeTest};
  if (setup_.resume && setup_.resume->step > 0)
    job.resumeFrom = setup_.layout.checkpoint(setup_.resume->step).string();
  RankGroupSetup group{setup_.workerProgram, std::move(job), setup_.ranks, {}, {}};
  group.limits.stall = std::chrono::duration<double>(setup_.experiment.runtime.stallSeconds);
  group.logOf = [this](int rank) { return setup_.layout.rankLog(rank); };
  control_.ranks = std::make_unique<RankGroup>(loop_, std::move(group), rankHandlers());
  control_.restartCause.reset();
  attemptStart_ = PollLoop::Clock::now();
  control_.ranks->start();
  if (control_.pauseRequested) control_.send(protocol::Pause());
}

RankGroup::Handlers TrainingRun::rankHandlers() {
  return {
      [this](int rank, const protocol::WorkerMessage& message) { messages_.handle(rank, message); },
      [this](int rank, const std::string& line) {
        rankLogs_.writeLine(rank, line);
        log_.forwardWarning(line, rank);
      },
      [this](const RankGroupEnd& end) { ranksEnded(end); }};
}

void TrainingRun::stopOnSignal(const StopSignal& signal) {
  if (outcome_ || isWritten_) return commands_.abandon();
  if (checkpoints_.isRetrying() && !control_.isRunning()) return checkpoints_.stopRetrying();
  const std::string name = signalName(signal.number);
  if (!control_.stopRequested) return requestStop(name);
  if (!control_.isRunning() || control_.ranks->isEnding()) return;
  if (!signal.isRepeated) {
    log_.write("engine", name + ": already stopping; a second signal kills");
    return;
  }
  killedBy_ = name;
  log_.write("engine", "second " + name + ": killing the run");
  control_.ranks->kill();
}

void TrainingRun::requestStop(const std::string& reason) {
  const bool hasEnded = !control_.isRunning() && !control_.isRestarting() && !turn_.isWaiting();
  if (control_.stopRequested || hasEnded) return;
  control_.stopRequested = true;
  if (turn_.isWaiting()) return cancel(reason);
  if (control_.isRestarting()) return stopInsteadOfRestart();
  if (!control_.ranks->hasJoined()) {
    log_.write("engine", "stopping before the ranks have joined (" + reason + ")");
    return control_.ranks->kill();
  }
  const std::string what = setup_.info.isRangeTest ? "stopping the learning-rate range test"
                                                   : "stopping with a checkpoint";
  log_.write("engine", what + " (" + reason + "); a second signal kills");
  control_.send(protocol::Stop());
  recorder_.setState(protocol::RunState::Stopping);
}

/// Of a queued run.
void TrainingRun::cancel(const std::string& reason) {
  log_.write("engine", "leaving the queue (" + reason + ")");
  conclude(cancelledOutcome(facts()));
}

void TrainingRun::everySecond() {
  recorder_.refresh();  // first: without the run folder the run ends
  if (control_.ranks) devices_.sample(control_.ranks->pids());
  awaitTurn();
  turn_.keep();
  checkpoints_.retry();
  concludeWhenKept();
  restoreSocket();
}

/// Training continues without a socket: clients can read the run folder.
void TrainingRun::restoreSocket() {
  if (const auto error = service_.server().restoreSocket())
    warn(*error + " (training continues, but clients cannot connect)");
}

// ---- After the ranks have ended: another attempt, or the end of the run.

void TrainingRun::ranksEnded(const RankGroupEnd& end) {
  if (!end.warning.empty()) log_.warn("engine", end.warning);
  if (end.failure && restartAfter(*end.failure)) return;
  service_.requests().failAll("the run has ended");
  ended_ = end;
  concludeWhenKept();
}

/// False when this failure is the run's end.
bool TrainingRun::restartAfter(const RankFailure& failure) {
  if (!failure.isRetryable || control_.stopRequested) return false;
  const auto backoff = restarts_.take(PollLoop::Clock::now() - attemptStart_);
  if (!backoff) return false;
  try {
    goBackTo(run_folder::findResumePoint(setup_.layout));
  } catch (const Error& error) {
    log_.write("engine", std::string("the run cannot be restarted: ") + error.what());
    return false;
  }
  warn(failure.line + ": restart " + std::to_string(restarts_.used()) + " of " +
       std::to_string(restarts_.limit()) + ", from step " + std::to_string(setup_.resume->step));
  control_.restartCause = failure;
  restartTimer_ = loop_.after(*backoff, [this] { startRanks(); });
  return true;
}

/// The run folder, the event log and every client are at this point again.
void TrainingRun::goBackTo(const run_folder::ResumePoint& point) {
  service_.requests().failAll("the run restarts from step " + std::to_string(point.step));
  recorder_.restartFrom(point);
  recorder_.recordHyperParameters(setup_.experiment);
  devices_.forgetAfter(point.step);
  setup_.resume = point;
  progress_ = progressOf(setup_.experiment);
  checkpoints_.reset();
  service_.server().resetAll(*recorder_.eventLog().lastRestart());
  recorder_.setState(protocol::RunState::Starting);
}

/// The checkpoint to restart from is the one to resume from later.
void TrainingRun::stopInsteadOfRestart() {
  loop_.cancel(restartTimer_);
  const RankFailure failure = *std::exchange(control_.restartCause, std::nullopt);
  conclude(setup_.resume->step > 0 ? stoppedOutcome(facts()) : outcomeOf(failure, facts()));
}

void TrainingRun::concludeWhenKept() {
  if (ended_ && !outcome_ && !checkpoints_.isRetrying()) conclude(outcomeOf(*ended_, facts()));
}

void TrainingRun::conclude(RunOutcome outcome) {
  log_.write("engine", outcome.line);
  recorder_.setState(outcome.state, outcome.error);
  devices_.stop();
  turn_.end();
  outcome_ = std::move(outcome);
  loop_.after(kDrainTime, [this] { loop_.stop(); });
}

/// Writes the failure into the run folder as far as that still works. Faults on the way are only
/// logged: the caller reports `reason`.
void TrainingRun::endByOwnFailure(const std::string& reason) {
  if (!recorder_.isInPlace() || isWritten_) return;
  try {
    recorder_.setState(protocol::RunState::Failed,
                       runError(reason, protocol::FailureCause::Supervisor, facts()));
    recorder_.finish();
    isWritten_ = true;
    loop_.cancel(restartTimer_);
    control_.restartCause.reset();
    control_.ranks.reset();
    service_.requests().failAll("the run has ended");
    devices_.stop();
    turn_.end();
    runEndCommand();
  } catch (const std::exception& error) {
    log_.write("engine", std::string(isWritten_ ? "after the failure: "
                                                : "the failure could not be recorded: ") +
                             error.what());
  }
}

RunFacts TrainingRun::facts() const {
  const RankGroup* ranks = control_.ranks.get();
  return {.folder = setup_.layout.folder(),
          .launcher = setup_.ranks.cluster.launcher,
          .step = recorder_.info().step,
          .heartbeat = ranks != nullptr ? ranks->heartbeat(0) : protocol::Heartbeat(),
          .killedBy = killedBy_,
          .checkpoints = run_folder::checkpointSteps(setup_.layout),
          .lostCheckpoint = checkpoints_.lost(),
          .isRangeTest = setup_.info.isRangeTest};
}

}  // namespace lockstep::supervisor
