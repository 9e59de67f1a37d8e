#include "app/controllers/engine_link.h"

#include <algorithm>

#include "engine/base/error.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kFirstDelay{50};
constexpr std::chrono::milliseconds kMaxDelay{2000};
constexpr std::chrono::milliseconds kWelcomeTimeout{5000};

bool isPermanent(QLocalSocket::LocalSocketError error) {
  return error == QLocalSocket::SocketAccessError ||
         error == QLocalSocket::UnsupportedSocketOperationError;
}

}  // namespace

EngineLink::EngineLink(QObject* parent) : QObject(parent) {
  retry_.setSingleShot(true);
  connect(&retry_, &QTimer::timeout, this, &EngineLink::tryConnect);
  welcomeTimer_.setSingleShot(true);
  welcomeTimer_.setInterval(kWelcomeTimeout);
  connect(&welcomeTimer_, &QTimer::timeout, this, [this] {
    socket_.abort();
    retryLater(tr("it accepts the connection but does not respond"));
    Q_EMIT unreachable();
  });
  connect(&socket_, &QLocalSocket::connected, this, [this] {
    lines_ = protocol::LineBuffer();
    welcomeTimer_.start();
    Q_EMIT connected();
  });
  connect(&socket_, &QLocalSocket::readyRead, this, &EngineLink::readLines);
  connect(&socket_, &QLocalSocket::errorOccurred, this, &EngineLink::handleError);
}

EngineLink::~EngineLink() { socket_.disconnect(this); }

void EngineLink::setState(State state, const QString& error) {
  if (state_ == state && lastError_ == error) return;
  state_ = state;
  lastError_ = error;
  Q_EMIT stateChanged(state);
}

void EngineLink::connectToEngine(const QString& socketPath) {
  if (state_ != State::Off && path_ == socketPath) return;
  disconnectFromEngine();
  path_ = socketPath;
  delay_ = std::chrono::milliseconds(0);
  setState(State::Connecting);
  tryConnect();
}

void EngineLink::disconnectFromEngine() {
  retry_.stop();
  welcomeTimer_.stop();
  setState(State::Off);
  socket_.abort();
  lines_ = protocol::LineBuffer();
}

void EngineLink::tryConnect() {
  if (state_ == State::Off) return;
  socket_.connectToServer(path_);
}

void EngineLink::handleError(QLocalSocket::LocalSocketError error) {
  if (state_ == State::Off) return;
  if (isPermanent(error)) {
    const QString why = socket_.errorString();
    disconnectFromEngine();
    Q_EMIT failed(tr("The engine's socket %1 cannot be used: %2").arg(path_, why));
    return;
  }
  const bool wasConnected = state_ == State::Connected;
  retryLater(socket_.errorString());
  if (wasConnected) {
    Q_EMIT lost();
  } else {
    Q_EMIT unreachable();
  }
}

void EngineLink::retryLater(const QString& error) {
  welcomeTimer_.stop();
  delay_ = delay_.count() == 0 ? kFirstDelay : std::min(kMaxDelay, delay_ * 2);
  retry_.start(delay_);
  setState(State::Connecting, error);
}

void EngineLink::readLines() {
  const QByteArray bytes = socket_.readAll();
  lines_.append({bytes.constData(), static_cast<std::size_t>(bytes.size())});
  std::string line;
  for (;;) {
    const auto result = lines_.next(line);
    if (result == protocol::LineBuffer::Result::NeedMore) return;
    if (result == protocol::LineBuffer::Result::Line) handleLine(line);
    if (state_ == State::Off) return;  // a slot has disconnected
  }
}

void EngineLink::handleLine(const std::string& line) {
  protocol::EngineMessage message;
  try {
    message = protocol::decodeEngineMessage(line);
  } catch (const protocol::VersionMismatch& error) {
    disconnectFromEngine();
    Q_EMIT failed(tr("%1. Use lockstep of the same version as the running engine.")
                      .arg(QString::fromUtf8(error.what())));
    return;
  } catch (const Error& error) {
    // An unknown message, such as one of a newer engine; a request must not wait for it for ever.
    if (const std::string id = protocol::requestIdOf(line); !id.empty())
      Q_EMIT refused(QString::fromStdString(id), QString::fromUtf8(error.what()));
    return;
  }
  if (const auto* welcome = std::get_if<protocol::Welcome>(&message)) {
    welcomeTimer_.stop();
    delay_ = std::chrono::milliseconds(0);
    setState(State::Connected);
    Q_EMIT welcomed(*welcome);
  } else if (const auto* ok = std::get_if<protocol::Ok>(&message)) {
    const auto* answer = std::get_if<protocol::AnswerPath>(&ok->answer);
    Q_EMIT answered(QString::fromStdString(ok->id),
                    answer ? QString::fromStdString(answer->path) : QString());
  } else if (const auto* error = std::get_if<protocol::ErrorReply>(&message)) {
    Q_EMIT refused(QString::fromStdString(error->id), QString::fromStdString(error->message));
  } else {
    Q_EMIT eventReceived(message);
  }
}

void EngineLink::send(const protocol::ClientMessage& message) {
  socket_.write(QByteArray::fromStdString(protocol::encode(message)) + '\n');
}

QString EngineLink::nextId() { return QStringLiteral("app-%1").arg(++lastId_); }

void EngineLink::sendHello(std::int64_t since, int attempt) {
  send(protocol::Hello{since, attempt});
}

QString EngineLink::sendCommand(protocol::CommandName name) {
  if (state_ != State::Connected) return {};
  const QString id = nextId();
  send(protocol::Command{id.toStdString(), name});
  return id;
}

QString EngineLink::sendPredict(const std::vector<std::int64_t>& imageIds, const QString& weights,
                                double scoreThreshold) {
  if (state_ != State::Connected) return {};
  const QString id = nextId();
  protocol::PredictRequest request;
  request.id = id.toStdString();
  request.imageIds = imageIds;
  request.weights = weights.toStdString();
  request.scoreThreshold = scoreThreshold;
  send(request);
  return id;
}

}  // namespace lockstep::app
