#include "app/runs/open/run_controller.h"

#include <algorithm>

#include "app/engines/inspect_process.h"
#include "app/engines/remote_files.h"
#include "app/runs/list/remote_run_list.h"
#include "app/runs/open/run_tail.h"
#include "engine/base/error.h"
#include "engine/events/tags.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kRereadInterval{1000}, kForeignInterval{3000},
    kChangesFrame{16};

}  // namespace

RunController::RunController(const QString& folder, QObject* parent)
    : QObject(parent),
      folder_(folder),
      place_(RemotePlace::parse(folder)),
      tail_(std::make_shared<RunTail>()) {
  summary_.folder = folder.toStdString();
  if (place_) {
    summary_ = unknownRemoteRun(*place_).summary;
    remoteFiles_ = std::make_unique<RemoteFiles>(link_, *place_);
  }
  frame_.setSingleShot(true);
  frame_.setInterval(kChangesFrame);
  reread_.setInterval(kRereadInterval);
  connectSignals();
}

RunController::~RunController() = default;

void RunController::connectSignals() {
  connect(&reread_, &QTimer::timeout, this, &RunController::refresh);
  connect(&frame_, &QTimer::timeout, this, &RunController::announce);
  connect(&link_, &EngineLink::connected, this,
          [this] { link_.sendHello(history_.lastSeq(), attempt_); });
  connect(&link_, &EngineLink::stateChanged, this, &RunController::linkChanged);
  connect(&link_, &EngineLink::lost, this, [this] {
    for (const auto& request : std::exchange(requests_, {})) {
      if (const auto* asked = std::get_if<AskedPrediction>(&request))
        Q_EMIT predictionFailed(*asked, tr("The engine disconnected before it replied."));
    }
    refresh();
  });
  connect(&link_, &EngineLink::welcomed, this, &RunController::handleWelcome);
  connect(&link_, &EngineLink::eventReceived, this, &RunController::handleEvent);
  connect(&link_, &EngineLink::statusReceived, this, &RunController::handleStatus);
  connect(&link_, &EngineLink::answered, this, &RunController::handleAnswer);
  connect(&link_, &EngineLink::refused, this, &RunController::handleRefusal);
  connect(&link_, &EngineLink::progressed, this, &RunController::handleProgress);
  connect(&link_, &EngineLink::failed, this, [this](const QString& message) {
    setAccessError(
        linkError_,
        RunAccessError{!place_ ? tr("The run cannot be followed live")
                       : place_->isPackedRun()
                           ? tr("The packed run cannot be read")
                           : tr("The run on %1 cannot be followed").arg(place_->hostText()),
                       message});
    if (!place_) return;
    if (!isKnown()) summary_.info.state = base::OpenEnum<protocol::RunState>("not connected");
    finishLoading();
  });
  if (!place_) return;
  connect(&link_, &EngineLink::unreachable, this, [this] {
    setAccessError(
        linkError_,
        RunAccessError{tr("Not connected to the run on %1; trying again").arg(place_->hostText()),
                       link_.lastError()});
    finishLoading();
  });
}

RunFileAccess RunController::files() {
  return remoteFiles_ ? remoteFiles_->access() : RunFileAccess{folder_};
}

void RunController::handleWelcome(const protocol::Welcome& welcome) {
  const bool isOtherAttempt = welcome.attempt != attempt_;
  attempt_ = welcome.attempt;
  summary_.info.attempt = welcome.attempt;
  summary_.info.state = welcome.state;
  setAccessError(linkError_, std::nullopt);
  changes_.state = true;
  if (place_) handleRemoteWelcome(welcome);
  if (place_ && isOtherAttempt && !program_) readRemotePlan();
  announce();
}

void RunController::handleRemoteWelcome(const protocol::Welcome& welcome) {
  if (!welcome.program.empty())
    program_ = base::parseEnum<foreign_runs::Source>(welcome.program)
                   .value_or(foreign_runs::Source::TensorBoard);
  summary_.alive = !program_ && protocol::isLive(welcome.state);
  if (welcome.state != protocol::RunState::Failed) summary_.info.error.reset();
  welcomeSeq_ = welcome.seq;
  hasStatus_ = false;
  askStatus();
}

/// Once per attempt: a resume may change it.
void RunController::readRemotePlan() {
  remoteFiles_->checkAgain();
  const RunFileAccess files = remoteFiles_->access();
  const run_folder::Layout layout(files.folder.toStdString());
  const auto read = [layout]() -> std::optional<EvaluationPlan> {
    try {
      return readEvaluationPlan(layout);
    } catch (const std::exception&) {  // reported where the configuration is needed
      return std::nullopt;
    }
  };
  const auto apply = [this](const std::optional<EvaluationPlan>& plan) {
    if (!plan) return;
    evaluationPlan_ = *plan;
    changes_.state = true;
    announce();
  };
  files.bring(QString::fromStdString(layout.config().string()),
              [this, read, apply](const QString& error) {
                if (error.isEmpty()) jobs::start(this, jobs::Kind::Disk, read, apply);
              });
}

/// What run.json and the folder there say.
void RunController::askStatus() {
  const QString id = link_.sendCommand(protocol::CommandName::Status);
  if (!id.isEmpty()) requests_[id] = protocol::CommandName::Status;
}

void RunController::handleStatus(const QString& id, const protocol::RunStatus& status) {
  if (requests_.remove(id) == 0 || !place_) return;
  run_folder::RunInfo& info = summary_.info;
  if (!status.name.empty()) info.name = status.name;
  info.step = std::max(info.step, status.step);
  info.maxSteps = status.maxSteps;
  info.stepsPerEpoch = status.stepsPerEpoch;
  info.isRangeTest = status.isRangeTest;
  if (status.created > 0) info.created = status.created;
  if (status.started > 0) info.started = status.started;
  if (status.finished > 0) info.finished = status.finished;
  if (status.best) info.best = {status.best->metric, status.best->value, status.best->step};
  if (status.error) info.error = status.error;
  checkpointSteps_ = status.checkpoints;
  std::optional<RunAccessError> damage;
  if (!status.leftOut.empty())
    damage = {tr("The run is damaged"), QString::fromStdString(status.leftOut)};
  setAccessError(readError_, std::move(damage));
  hasStatus_ = true;
  changes_.state = changes_.checkpoints = true;
  announce();
  finishRemoteLoading();
}

void RunController::finishRemoteLoading() {
  if (hasStatus_ && history_.lastSeq() >= welcomeSeq_) finishLoading();
}

void RunController::finishLoading() {
  if (!std::exchange(loaded_, true)) Q_EMIT loaded();
}

void RunController::refresh() {
  if (place_) return followRemote();
  if (reading_) {
    readAgain_ = true;
    return;
  }
  readMore();
}

void RunController::readMore() {
  reading_ = true;
  const run_folder::fs::path folder = folder_.toStdString();
  tail_->smoothing = history_.metrics().smoothing();
  const bool live = link_.state() == EngineLink::State::Connected;
  const std::optional<std::int64_t> since = live ? std::nullopt : std::optional(history_.lastSeq());
  jobs::start(
      this, jobs::Kind::Disk,
      [tail = tail_, folder, since] {
        tail->read(folder, since);
        return tail;
      },
      [this](const std::shared_ptr<RunTail>& tail) { handleRead(tail); });
}

void RunController::handleRead(const std::shared_ptr<RunTail>& tail) {
  reading_ = false;
  const bool live = link_.state() == EngineLink::State::Connected;
  const run_folder::RunInfo before = summary_.info;
  summary_ = tail->summary;
  if (live) {  // run.json lags behind the socket
    summary_.info.state = before.state;
    summary_.info.step = std::max(before.step, summary_.info.step);
  }
  if (checkpointSteps_ != tail->checkpointSteps) changes_.checkpoints = true;
  checkpointSteps_ = tail->checkpointSteps;
  hasConfig_ = tail->hasConfig;
  evaluationPlan_ = tail->evaluationPlan.value_or(EvaluationPlan());
  // Otherwise a reset has arrived in the meantime, and these records were truncated.
  if (tail == tail_) {
    if (tail->whole || !tail->records.empty())
      changes_.scalars = changes_.log = changes_.alerts = changes_.checkpoints =
          changes_.evaluations = changes_.predictions = true;
    if (tail->whole && !live) {
      const double smoothing = history_.metrics().smoothing();
      // Otherwise the file became readable again, and no step differs.
      const bool wasTruncated =
          summary_.info.attempt != attempt_ || tail->whole->lastSeq() < history_.lastSeq();
      history_ = std::move(*tail->whole);
      if (history_.metrics().smoothing() != smoothing) history_.metrics().setSmoothing(smoothing);
      if (loaded_ && wasTruncated) noteCut(0);  // resumed while not connected: any step may differ
      attempt_ = summary_.info.attempt;
    }
    for (const events::Record& record : tail->records) history_.add(record);
  }
  tail->whole.reset();
  tail->records.clear();
  program_ = tail->program;
  media_ = tail->media;
  const QString error = std::exchange(tail->error, QString());
  const QString leftOut = std::exchange(tail->leftOut, QString());
  std::optional<RunAccessError> problem;
  if (!error.isEmpty()) problem = RunAccessError{tr("The run cannot be read"), error};
  if (error.isEmpty() && !leftOut.isEmpty())
    problem = RunAccessError{tr("The run is damaged"), leftOut};
  setAccessError(readError_, std::move(problem));
  if (summary_.info.step < history_.metrics().lastStep())
    summary_.info.step = history_.metrics().lastStep();
  changes_.state = true;
  announce();
  finishLoading();
  followLive();
  if (std::exchange(readAgain_, false)) refresh();
}

/// The link keeps the connection; it is off at first and after a permanent error.
void RunController::followRemote() {
  if (!isKnown()) summary_.info.state = unknownRemoteRun(*place_).summary.info.state;
  link_.connectToEngine(folder_);
}

void RunController::followLive() {
  const bool follow = summary_.alive && !summary_.info.socket.empty();
  if (follow) {
    link_.connectToEngine(QString::fromStdString(summary_.info.socket));
  } else {
    link_.disconnectFromEngine();
    setAccessError(linkError_, std::nullopt);
  }
  // Other programs tell nobody that their files have grown.
  reread_.setInterval(program_ ? kForeignInterval : kRereadInterval);
  if (program_) return reread_.start();
  // While the socket of a running engine is not connected, poll the file. Also poll a file that
  // cannot be read: it may be repaired without a change of run.json.
  if ((summary_.alive && link_.state() != EngineLink::State::Connected) || readError_) {
    reread_.start();
  } else {
    reread_.stop();
  }
}

void RunController::handleEvent(const protocol::EngineMessage& message) {
  if (const auto* reset = std::get_if<protocol::Reset>(&message)) {
    history_.add(message);
    tail_ = std::make_shared<RunTail>();  // the file was truncated: the reader's offset is invalid
    tail_->summary = summary_;
    if (remoteFiles_) remoteFiles_->checkAgain();
    noteCut(reset->step);
    announce();
    refresh();  // checkpoints were removed
    return;
  }
  const std::size_t logLines = history_.log().size();
  if (!history_.add(message)) return;
  if (history_.log().size() != logLines) changes_.log = true;
  changes_.state = true;
  if (const auto* scalars = std::get_if<protocol::Scalars>(&message)) {
    changes_.scalars = true;
    summary_.info.step = std::max(summary_.info.step, scalars->step);
  } else if (const auto* state = std::get_if<protocol::State>(&message)) {
    applyState(*state);
  } else if (std::holds_alternative<protocol::Evaluation>(message)) {
    changes_.evaluations = true;
    refresh();  // run.json may name another best
  } else if (std::holds_alternative<protocol::Checkpoint>(message)) {
    changes_.checkpoints = true;
    refresh();  // and the folder has other checkpoints
    if (place_ && hasStatus_) askStatus();
  } else if (std::holds_alternative<protocol::Predictions>(message)) {
    changes_.predictions = true;
  } else if (std::holds_alternative<protocol::Alert>(message)) {
    changes_.alerts = true;
  }
  if (!frame_.isActive()) frame_.start();
  if (place_ && !loaded_ && history_.lastSeq() >= welcomeSeq_) {
    announce();
    finishRemoteLoading();
  }
}

void RunController::noteCut(qint64 step) {
  changes_ = {true, true, true, true,
              true, true, true, std::min(step, changes_.cutAfter.value_or(step))};
}

void RunController::announce() {
  frame_.stop();
  if (changes_.any()) Q_EMIT changed(std::exchange(changes_, {}));
}

void RunController::applyState(const protocol::State& state) {
  summary_.info.step = std::max(summary_.info.step, state.step);
  // The welcome knew more than the last record does, of a run whose process was killed.
  if (place_ && state.seq <= welcomeSeq_ && state.state != summary_.info.state) return;
  summary_.info.error = state.error;
  summary_.info.state = state.state;
  if (place_) summary_.alive = protocol::isLive(state.state);
}

std::int64_t RunController::resumeStep() const {
  const std::int64_t own = checkpointSteps_.empty() ? 0 : checkpointSteps_.back();
  if (!summary_.info.error) return own;
  const run_folder::fs::path elsewhere = summary_.info.error->checkpoint;
  return std::max(own, run_folder::stepOf(elsewhere.filename().string()).value_or(0));
}

std::optional<double> RunController::secondsLeft() const {
  const run_folder::RunInfo& info = summary_.info;
  const MetricSeries* times = history_.metrics().series(events::tags::kStepSeconds);
  if (!times || times->size() == 0 || info.maxSteps <= info.step) return std::nullopt;
  // The median of the last hundred steps, so that evaluations in between do not count.
  std::vector<float> last;
  for (std::size_t i = times->size() > 100 ? times->size() - 100 : 0; i < times->size(); ++i)
    last.push_back(times->value(i));
  std::nth_element(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(last.size() / 2),
                   last.end());
  return last[last.size() / 2] * static_cast<double>(info.maxSteps - info.step);
}

void RunController::setAccessError(std::optional<RunAccessError>& which,
                                   std::optional<RunAccessError> now) {
  if (which == now) return;
  which = std::move(now);
  Q_EMIT accessErrorChanged();
}

void RunController::command(protocol::CommandName name) {
  const QString id = link_.sendCommand(name);
  if (id.isEmpty()) {
    Q_EMIT failed(tr("The run could not be asked to %1").arg(QLatin1String(base::textOf(name))),
                  place_ ? tr("Not connected to %1.").arg(place_->hostText())
                         : tr("Not connected to its engine at %1. Retrying every two seconds.")
                               .arg(QString::fromStdString(summary_.info.socket)));
    return;
  }
  requests_[id] = name;
}

void RunController::pause() { command(protocol::CommandName::Pause); }
void RunController::resume() { command(protocol::CommandName::Resume); }
void RunController::stop() { command(protocol::CommandName::Stop); }
void RunController::saveCheckpoint() { command(protocol::CommandName::Checkpoint); }
void RunController::evaluate() { command(protocol::CommandName::Evaluate); }

void RunController::handleAnswer(const QString& id, const QString& path) {
  const auto request = requests_.take(id);
  const auto* asked = std::get_if<AskedPrediction>(&request);
  if (!asked) return;
  if (path.isEmpty()) {
    Q_EMIT predictionFailed(*asked, tr("The engine's reply names no file."));
  } else {
    Q_EMIT predictionReady(*asked, files().localPath(path));
  }
}

void RunController::handleProgress(const QString& id, qint64 done, qint64 of) {
  const auto request = requests_.constFind(id);
  if (request == requests_.cend()) return;
  if (const auto* asked = std::get_if<AskedPrediction>(&*request))
    Q_EMIT predictionProgressed(*asked, done, of);
}

void RunController::handleRefusal(const QString& id, const QString& message) {
  if (remoteFiles_ && remoteFiles_->handleRefusal(id, message)) return;
  const auto pending = requests_.constFind(id);
  if (pending == requests_.cend()) {
    Q_EMIT failed(tr("The engine refused a request"), message);
    return;
  }
  const auto request = *pending;
  requests_.erase(pending);
  if (const auto* asked = std::get_if<AskedPrediction>(&request))
    return Q_EMIT predictionFailed(*asked, message);
  const auto command = std::get<protocol::CommandName>(request);
  if (command == protocol::CommandName::Status) {  // which the user did not ask for
    hasStatus_ = true;
    return finishRemoteLoading();
  }
  const char* const name = base::textOf(command);
  Q_EMIT failed(tr("The engine refused to %1").arg(QLatin1String(name)), message);
}

}  // namespace lockstep::app
