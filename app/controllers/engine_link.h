#pragma once

#include <QElapsedTimer>
#include <QLocalSocket>
#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>

#include "engine/protocol/messages.h"

namespace lockstep::app {

/// The connection to a run's engine over its local socket: connects, tries again after passing
/// faults, cuts the stream into lines and tells each message. Knows no files and no models. No
/// method blocks.
class EngineLink : public QObject {
  Q_OBJECT

 public:
  /// Connected: the engine has answered; an open socket alone says nothing.
  enum class State { Off, Connecting, Connected };
  explicit EngineLink(QObject* parent = nullptr);
  ~EngineLink() override;

  State state() const { return state_; }
  /// Why it is still connecting; empty: it is not, or it has only begun.
  QString trouble() const { return trouble_; }
  /// How long an open socket may be silent before it is tried anew.
  void setWelcomeTimeout(std::chrono::milliseconds timeout) { silence_.setInterval(timeout); }
  /// Connects to the socket at this absolute path and keeps trying until disconnectFromEngine() or
  /// a lasting fault.
  void connectToEngine(const QString& socketPath);
  void disconnectFromEngine();

  void sendHello(std::int64_t since, int attempt);
  /// Returns the request's id; empty: not connected.
  QString sendCommand(protocol::CommandName name);
  QString sendPredict(const std::vector<std::int64_t>& imageIds, const QString& weights,
                      double scoreThreshold);

 Q_SIGNALS:
  /// Another state or another trouble.
  void stateChanged(lockstep::app::EngineLink::State state);
  /// The socket is open: the time for sendHello().
  void connected();
  void lost();
  /// A try to connect was in vain; the next one is on its way.
  void unreachable();
  void welcomed(const lockstep::protocol::Welcome& welcome);
  /// Every event, reset and alert, in the order they came.
  void eventReceived(const lockstep::protocol::EngineMessage& message);
  /// `path`: of the file with the answer; empty: it is no file.
  void answered(const QString& id, const QString& path);
  void refused(const QString& id, const QString& message);
  /// A lasting fault (another version, no permission): there is no further try.
  void failed(const QString& message);

 private:
  void setState(State state, const QString& trouble = {});
  void tryConnect();
  void readLines();
  void takeLine(const std::string& line);
  void takeError(QLocalSocket::LocalSocketError error);
  void tryAgainLater(const QString& trouble);
  void send(const protocol::ClientMessage& message);
  QString nextId();

  QLocalSocket socket_;
  QTimer retry_;
  QTimer silence_;  ///< since the socket opened
  protocol::LineBuffer lines_;
  QString path_;
  QString trouble_;
  State state_ = State::Off;
  std::chrono::milliseconds delay_{0};
  int lastId_ = 0;
};

}  // namespace lockstep::app
