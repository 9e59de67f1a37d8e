#include "app/engines/inspect_process.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>
#include <algorithm>
#include <chrono>

#include "app/engines/engine_program.h"
#include "app/text/window_words.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kEndWait{500};
constexpr int kMaxDisconnects = 3;

}  // namespace

InspectProcess::InspectProcess(const QString& program, QObject* parent)
    : QObject(parent), program_(engineProgram(program)) {
  connectSignals();
}

InspectProcess::~InspectProcess() {
  link_.disconnect(this);
  endProcess();
}

void InspectProcess::connectSignals() {
  connect(&link_, &EngineLink::connected, this, [this] { link_.sendHello(-1, 0); });
  connect(&link_, &EngineLink::welcomed, this, &InspectProcess::sendWaiting);
  connect(&link_, &EngineLink::lost, this, &InspectProcess::handleDisconnect);
  connect(&link_, &EngineLink::unreachable, this, &InspectProcess::handleDisconnect);
  connect(&link_, &EngineLink::answered, this, &InspectProcess::handleAnswer);
  connect(&link_, &EngineLink::refused, this, [this](const QString& id, const QString& message) {
    const Request request = takeRequest(id);
    if (!request.id.isEmpty()) Q_EMIT predictionFailed(request.asked, message);
  });
  connect(&link_, &EngineLink::progressed, this, [this](const QString& id, qint64 done, qint64 of) {
    for (const Request& request : requests_)
      if (request.id == id) Q_EMIT predictionProgressed(request.asked, done, of);
  });
  connect(&link_, &EngineLink::failed, this, &InspectProcess::failAll);
}

void InspectProcess::setRun(const QString& runFolder) {
  if (runFolder == runFolder_) return;
  runFolder_ = runFolder;
  requests_.clear();
  disconnects_ = 0;
  link_.disconnectFromEngine();
  endProcess();
}

void InspectProcess::predict(const AskedPrediction& asked) {
  requests_.push_back({asked, {}});
  if (!process_ && link_.state() == EngineLink::State::Off) start();
  sendWaiting();
}

void InspectProcess::cancelPrediction(const AskedPrediction& asked) {
  for (Request& request : requests_) {
    if (request.asked != asked) continue;
    request.isCanceled = true;
    if (!request.id.isEmpty()) link_.sendCancel(request.id);
  }
  dropCanceled();
}

bool InspectProcess::isPredicting() const {
  return !std::ranges::all_of(requests_, &Request::isCanceled);
}

/// Those that no engine knows.
void InspectProcess::dropCanceled() {
  std::vector<AskedPrediction> dropped;
  std::erase_if(requests_, [&](const Request& request) {
    const bool isDropped = request.isCanceled && request.id.isEmpty();
    if (isDropped) dropped.push_back(request.asked);
    return isDropped;
  });
  for (const AskedPrediction& asked : dropped) Q_EMIT predictionFailed(asked, tr("canceled"));
}

void InspectProcess::start() {
  process_ = std::make_unique<QProcess>();
  process_->setStandardInputFile(QProcess::nullDevice());
  connect(process_.get(), &QProcess::readyReadStandardOutput, this,
          &InspectProcess::readSocketPath);
  connect(process_.get(), &QProcess::finished, this, &InspectProcess::handleExit);
  connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) handleExit();
  });
  process_->start(program_, {QStringLiteral("inspect"), runFolder_});
}

/// Does not wait for the process to exit: it may hang as its disk does.
void InspectProcess::endProcess() {
  if (!process_) return;
  QProcess* ending = process_.release();
  ending->disconnect(this);
  ending->terminate();
  connect(ending, &QProcess::finished, ending, &QObject::deleteLater);
  QTimer::singleShot(kEndWait, ending, &QProcess::kill);
}

void InspectProcess::readSocketPath() {
  if (!process_->canReadLine() || link_.state() != EngineLink::State::Off) return;
  const QJsonObject answer = QJsonDocument::fromJson(process_->readLine()).object();
  const QString socket = answer.value(QStringLiteral("socket")).toString();
  if (!socket.isEmpty()) link_.connectToEngine(socket);
}

/// A process that exits at once with success has named the socket of another one that is running.
/// When our own process ends after its idle time, its socket disconnects: see handleDisconnect().
void InspectProcess::handleExit() {
  readSocketPath();
  QProcess* ended = process_.release();
  ended->deleteLater();
  const bool succeeded = ended->error() != QProcess::FailedToStart &&
                         ended->exitStatus() == QProcess::NormalExit && ended->exitCode() == 0;
  if (succeeded && link_.state() != EngineLink::State::Off) return;
  QString message = inWindowWords(
      QString::fromUtf8(ended->readAllStandardError()).trimmed().section(QLatin1Char('\n'), -1));
  if (message.isEmpty()) message = tr("lockstep-engine inspect exited unexpectedly.");
  // Else its last line is no reason.
  if (ended->error() == QProcess::FailedToStart) {
    message = tr("%1 cannot be started: it is missing or not executable").arg(program_);
  } else if (ended->exitStatus() == QProcess::CrashExit) {
    message = tr("lockstep-engine inspect was killed.");
  }
  link_.disconnectFromEngine();
  failAll(message);
}

/// Requests of the old connection are sent again on the next one. While our own process runs, the
/// link reconnects by itself.
void InspectProcess::handleDisconnect() {
  for (Request& request : requests_) request.id.clear();
  dropCanceled();
  if (!requests_.empty() && ++disconnects_ >= kMaxDisconnects) return giveUp();
  if (process_) return;
  link_.disconnectFromEngine();
  if (!requests_.empty()) start();
}

/// Starting another process would not help: it would name the socket of the same process, which is
/// stopped or hangs.
void InspectProcess::giveUp() {
  const QString error = link_.lastError();
  link_.disconnectFromEngine();
  endProcess();
  failAll(tr("The process that predicts for this run does not answer: %1. End it "
             "(lockstep-engine inspect) and try again.")
              .arg(error));
}

void InspectProcess::handleAnswer(const QString& id, const QString& path) {
  const Request request = takeRequest(id);
  if (request.id.isEmpty()) return;
  if (path.isEmpty()) {
    Q_EMIT predictionFailed(request.asked, tr("The engine's reply names no file."));
  } else {
    Q_EMIT predictionReady(request.asked, path);
  }
}

void InspectProcess::sendWaiting() {
  if (link_.state() != EngineLink::State::Connected) return;
  for (Request& request : requests_) {
    if (request.id.isEmpty()) request.id = sendTo(link_, request.asked);
  }
}

InspectProcess::Request InspectProcess::takeRequest(const QString& id) {
  const auto at = std::find_if(requests_.begin(), requests_.end(),
                               [&](const Request& r) { return r.id == id; });
  if (at == requests_.end()) return {};
  const Request request = *at;
  requests_.erase(at);
  disconnects_ = 0;
  return request;
}

void InspectProcess::failAll(const QString& message) {
  disconnects_ = 0;
  for (const Request& request : std::exchange(requests_, {}))
    Q_EMIT predictionFailed(request.asked, message);
}

}  // namespace lockstep::app
