#include "app/engines/engine_link.h"

#include <algorithm>
#include <utility>

#include "app/engines/engine_transport.h"
#include "app/text/window_words.h"
#include "engine/base/error.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kFirstDelay{50};
constexpr qsizetype kShownGarbageLetters = 80;
/// Limit of undecodable lines in a row. A newer engine sends some among known messages.
constexpr int kMaxGarbageLines = 1000;

}  // namespace

EngineLink::EngineLink(QObject* parent) : QObject(parent) {
  retry_.setSingleShot(true);
  connect(&retry_, &QTimer::timeout, this, &EngineLink::tryConnect);
  welcomeTimer_.setSingleShot(true);
  connect(&welcomeTimer_, &QTimer::timeout, this, &EngineLink::handleWelcomeTimeout);
  silence_.setSingleShot(true);
  connect(&silence_, &QTimer::timeout, this, &EngineLink::handleSilence);
}

EngineLink::~EngineLink() {
  if (transport_) transport_->disconnect(this);
}

void EngineLink::connectTransport() {
  connect(transport_.get(), &EngineTransport::opened, this, [this] {
    garbage_.clear();
    garbageLines_ = 0;
    welcomeTimer_.start(welcomeTimeout_.value_or(transport_->patience().welcome));
    Q_EMIT connected();
  });
  connect(transport_.get(), &EngineTransport::received, this, [this] {
    silence_.stop();
    isProbed_ = false;
  });
  connect(transport_.get(), &EngineTransport::lineReceived, this, &EngineLink::handleLine);
  connect(transport_.get(), &EngineTransport::lineDropped, this,
          [this] { noteGarbage(tr("a line of more than 1 MiB")); });
  connect(transport_.get(), &EngineTransport::closed, this, &EngineLink::handleClosed);
}

void EngineLink::setState(State state, const QString& error) {
  if (state_ == state && lastError_ == error) return;
  state_ = state;
  lastError_ = error;
  Q_EMIT stateChanged(state);
}

void EngineLink::connectToEngine(const QString& address) {
  if (state_ != State::Off && address_ == address) return;
  disconnectFromEngine();
  if (!transport_ || address_ != address) {
    if (transport_) transport_.release()->deleteLater();  // it may be what calls this
    address_ = address;
    transport_ = makeTransport(address);
    connectTransport();
  }
  delay_ = std::chrono::milliseconds(0);
  setState(State::Connecting);
  tryConnect();
}

void EngineLink::disconnectFromEngine() {
  retry_.stop();
  welcomeTimer_.stop();
  silence_.stop();
  setState(State::Off);
  if (transport_) transport_->close();
}

void EngineLink::tryConnect() {
  if (state_ == State::Off) return;
  transport_->open();
}

/// What was said beside the messages is more use than that no message came.
void EngineLink::handleWelcomeTimeout() {
  const QString words = transport_->lastWords();
  QString reason = tr("it accepts the connection but does not respond");
  if (!words.isEmpty()) reason = tr("it does not respond; its last output is: %1").arg(words);
  if (!garbage_.isEmpty()) reason = tr("it sends “%1”, which is not a message").arg(garbage_);
  transport_->close();
  retryLater(reason);
  Q_EMIT unreachable();
}

/// An engine answers what it is asked at once, or with a state that changes; that of a stopped
/// process or of a machine that is gone looks healthy as long as nothing is asked.
void EngineLink::handleSilence() {
  if (state_ != State::Connected) return;
  if (!std::exchange(isProbed_, true))
    return ask(protocol::Command{nextId().toStdString(), protocol::CommandName::Status});
  transport_->close();
  retryLater(tr("it does not answer"));
  Q_EMIT lost();
}

void EngineLink::handleClosed(const QString& reason, bool isPermanent) {
  if (state_ == State::Off) return;
  if (isPermanent) {
    disconnectFromEngine();
    Q_EMIT failed(reason);
    return;
  }
  const bool wasConnected = state_ == State::Connected;
  retryLater(reason);
  if (wasConnected) {
    Q_EMIT lost();
  } else {
    Q_EMIT unreachable();
  }
}

void EngineLink::retryLater(const QString& error) {
  welcomeTimer_.stop();
  silence_.stop();
  isProbed_ = false;
  delay_ =
      delay_.count() == 0 ? kFirstDelay : std::min(transport_->patience().maxDelay, delay_ * 2);
  retry_.start(delay_);
  setState(State::Connecting, error);
}

/// Disconnects after kMaxGarbageLines in a row: the other side is no engine.
void EngineLink::noteGarbage(const QString& text) {
  if (garbageLines_++ == 0) garbage_ = text;
  if (garbageLines_ < kMaxGarbageLines) return;
  transport_->close();
  handleClosed(tr("it sends “%1”, which is not a message").arg(garbage_), false);
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
    noteGarbage(QString::fromStdString(line).simplified().left(kShownGarbageLetters));
    return;
  }
  garbageLines_ = 0;
  garbage_.clear();
  if (const auto* welcome = std::get_if<protocol::Welcome>(&message)) {
    welcomeTimer_.stop();
    delay_ = std::chrono::milliseconds(0);
    setState(State::Connected);
    Q_EMIT welcomed(*welcome);
  } else if (const auto* ok = std::get_if<protocol::Ok>(&message)) {
    if (const auto* part = std::get_if<protocol::FilePart>(&ok->answer))
      return Q_EMIT filePartReceived(QString::fromStdString(ok->id), *part);
    if (const auto* status = std::get_if<protocol::RunStatus>(&ok->answer))
      return Q_EMIT statusReceived(QString::fromStdString(ok->id), *status);
    const auto* answer = std::get_if<protocol::AnswerPath>(&ok->answer);
    Q_EMIT answered(QString::fromStdString(ok->id),
                    answer ? QString::fromStdString(answer->path) : QString());
  } else if (const auto* error = std::get_if<protocol::ErrorReply>(&message)) {
    Q_EMIT refused(QString::fromStdString(error->id), inWindowWords(error->message));
  } else if (const auto* progress = std::get_if<protocol::RequestProgress>(&message)) {
    Q_EMIT progressed(QString::fromStdString(progress->id), progress->done, progress->of);
  } else {
    Q_EMIT eventReceived(message);
  }
}

void EngineLink::send(const protocol::ClientMessage& message) { transport_->send(message); }

/// Sends what is answered.
void EngineLink::ask(const protocol::ClientMessage& request) {
  send(request);
  if (!silence_.isActive()) silence_.start(answerTimeout_.value_or(transport_->patience().welcome));
}

QString EngineLink::nextId() { return QStringLiteral("app-%1").arg(++lastId_); }

void EngineLink::sendHello(std::int64_t since, int attempt) {
  send(protocol::Hello{since, attempt});
}

QString EngineLink::sendCommand(protocol::CommandName name) {
  if (state_ != State::Connected) return {};
  const QString id = nextId();
  ask(protocol::Command{id.toStdString(), name});
  return id;
}

QString EngineLink::sendFileRequest(const QString& path, std::int64_t offset) {
  if (state_ != State::Connected) return {};
  const QString id = nextId();
  ask(protocol::FileRequest{id.toStdString(), path.toStdString(), offset});
  return id;
}

template <typename Request>
QString EngineLink::askWithId(Request request) {
  if (state_ != State::Connected) return {};
  const QString id = nextId();
  request.id = id.toStdString();
  ask(request);
  return id;
}

QString EngineLink::sendPredict(protocol::PredictRequest request) {
  return askWithId(std::move(request));
}

QString EngineLink::sendExplain(protocol::ExplainRequest request) {
  return askWithId(std::move(request));
}

void EngineLink::sendCancel(const QString& id) {
  if (state_ == State::Connected) send(protocol::CancelRequest{id.toStdString()});
}

}  // namespace lockstep::app
