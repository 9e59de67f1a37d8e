#pragma once

#include <QElapsedTimer>
#include <QLocalSocket>
#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>

#include "engine/protocol/messages.h"

namespace lockstep::app {

/// The connection to a run's engine over its local socket: connects, retries after transient
/// errors, splits the stream into lines and emits each message. No method blocks.
class EngineLink : public QObject {
  Q_OBJECT

 public:
  /// Connected: the engine has sent its welcome; an open socket is not enough.
  enum class State { Off, Connecting, Connected };
  explicit EngineLink(QObject* parent = nullptr);
  ~EngineLink() override;

  State state() const { return state_; }
  /// Why it is not connected yet; empty: it is connected or off, or no attempt has failed yet.
  QString lastError() const { return lastError_; }
  /// How long to wait for the welcome before the connection is retried.
  void setWelcomeTimeout(std::chrono::milliseconds timeout) { welcomeTimer_.setInterval(timeout); }
  /// Connects to the socket at this absolute path and retries until disconnectFromEngine() or a
  /// permanent error.
  void connectToEngine(const QString& socketPath);
  void disconnectFromEngine();

  void sendHello(std::int64_t since, int attempt);
  /// Returns the request's id; empty: not connected.
  QString sendCommand(protocol::CommandName name);
  QString sendPredict(const std::vector<std::int64_t>& imageIds, const QString& weights,
                      double scoreThreshold);

 Q_SIGNALS:
  /// state() or lastError() changed.
  void stateChanged(lockstep::app::EngineLink::State state);
  /// The socket is open: call sendHello().
  void connected();
  void lost();
  /// An attempt to connect failed; the next one is scheduled.
  void unreachable();
  void welcomed(const lockstep::protocol::Welcome& welcome);
  /// Every event, reset and alert, in order.
  void eventReceived(const lockstep::protocol::EngineMessage& message);
  /// `path`: the file with the answer; empty: the answer has no file.
  void answered(const QString& id, const QString& path);
  void refused(const QString& id, const QString& message);
  /// A permanent error (another protocol version, no permission): there are no more attempts.
  void failed(const QString& message);

 private:
  void setState(State state, const QString& error = {});
  void tryConnect();
  void readLines();
  void handleLine(const std::string& line);
  void handleError(QLocalSocket::LocalSocketError error);
  void retryLater(const QString& error);
  void send(const protocol::ClientMessage& message);
  QString nextId();

  QLocalSocket socket_;
  QTimer retry_;
  QTimer welcomeTimer_;  ///< runs from opening the socket to the welcome
  protocol::LineBuffer lines_;
  QString path_;
  QString lastError_;
  State state_ = State::Off;
  std::chrono::milliseconds delay_{0};
  int lastId_ = 0;
};

}  // namespace lockstep::app
