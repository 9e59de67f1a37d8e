#include "app/controllers/inspect_process.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace lockstep::app {
namespace {

constexpr double kScoreThreshold = 0.05;
constexpr int kEndWaitMs = 500;

}  // namespace

InspectProcess::InspectProcess(const QString& program, QObject* parent)
    : QObject(parent),
      program_(program.isEmpty()
                   ? QCoreApplication::applicationDirPath() + QStringLiteral("/lockstep-engine")
                   : program) {
  connect(&link_, &EngineLink::connected, this, [this] { link_.sendHello(-1, 0); });
  connect(&link_, &EngineLink::welcomed, this, &InspectProcess::sendWaiting);
  connect(&link_, &EngineLink::answered, this, [this](const QString& id, const QString& extra) {
    const Request request = take(id);
    if (request.id.isEmpty()) return;
    const QString path =
        QJsonDocument::fromJson(extra.toUtf8()).object().value(QStringLiteral("path")).toString();
    if (path.isEmpty()) {
      Q_EMIT predictionFailed(request.imageId, request.step,
                              tr("The engine's answer names no file."));
    } else {
      Q_EMIT predictionReady(request.imageId, request.step, path);
    }
  });
  connect(&link_, &EngineLink::refused, this, [this](const QString& id, const QString& message) {
    const Request request = take(id);
    if (!request.id.isEmpty()) Q_EMIT predictionFailed(request.imageId, request.step, message);
  });
  connect(&link_, &EngineLink::failed, this, &InspectProcess::failAll);
}

InspectProcess::~InspectProcess() {
  link_.disconnect(this);
  if (!process_) return;
  process_->disconnect(this);
  process_->terminate();
  if (!process_->waitForFinished(kEndWaitMs)) process_->kill();
}

void InspectProcess::predict(const QString& runFolder, qint64 imageId, qint64 step) {
  if (!process_ || runFolder != runFolder_) startFor(runFolder);
  requests_.push_back({imageId, step, {}});
  sendWaiting();
}

void InspectProcess::startFor(const QString& runFolder) {
  failAll(tr("Another run was chosen."));
  link_.disconnectFromEngine();
  if (process_) {
    process_->disconnect(this);
    process_->terminate();
    // It ends by itself; the object follows.
    connect(process_.get(), &QProcess::finished, process_.get(), &QObject::deleteLater);
    process_.release()->setParent(nullptr);
  }
  runFolder_ = runFolder;
  process_ = std::make_unique<QProcess>();
  process_->setStandardInputFile(QProcess::nullDevice());
  connect(process_.get(), &QProcess::readyReadStandardOutput, this, [this] {
    if (!process_->canReadLine() || link_.state() != EngineLink::State::Off) return;
    const QJsonObject answer = QJsonDocument::fromJson(process_->readLine()).object();
    const QString socket = answer.value(QStringLiteral("socket")).toString();
    if (!socket.isEmpty()) link_.connectToEngine(socket);
  });
  auto ended = [this] {
    const QString said = QString::fromUtf8(process_->readAllStandardError())
                             .trimmed()
                             .section(QLatin1Char('\n'), -1);
    link_.disconnectFromEngine();
    process_.release()->deleteLater();
    failAll(said.isEmpty() ? tr("lockstep-engine inspect ended.") : said);
  };
  connect(process_.get(), &QProcess::finished, this, ended);
  connect(process_.get(), &QProcess::errorOccurred, this, [ended](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) ended();
  });
  process_->start(program_, {QStringLiteral("inspect"), runFolder});
}

void InspectProcess::sendWaiting() {
  if (link_.state() != EngineLink::State::Connected) return;
  for (Request& request : requests_)
    if (request.id.isEmpty())
      request.id =
          link_.sendPredict({request.imageId}, QString::number(request.step), kScoreThreshold);
}

InspectProcess::Request InspectProcess::take(const QString& id) {
  const auto at = std::find_if(requests_.begin(), requests_.end(),
                               [&](const Request& r) { return r.id == id; });
  if (at == requests_.end()) return {};
  const Request request = *at;
  requests_.erase(at);
  return request;
}

void InspectProcess::failAll(const QString& message) {
  for (const Request& request : std::exchange(requests_, {}))
    Q_EMIT predictionFailed(request.imageId, request.step, message);
}

}  // namespace lockstep::app
