#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>
#include <memory>
#include <optional>

#include "engine/protocol/messages.h"

namespace lockstep::app {

class EngineTransport;

/// The connection to a run's engine, over its local socket or through ssh: connects, retries after
/// transient errors and emits each message. No method blocks.
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
  void setWelcomeTimeout(std::chrono::milliseconds timeout) { welcomeTimeout_ = timeout; }
  /// How long an engine of which something was asked may be silent, twice, until it counts as lost.
  void setAnswerTimeout(std::chrono::milliseconds timeout) { answerTimeout_ = timeout; }
  /// Connects to the socket at this absolute path, or to the run at this address (RemotePlace), and
  /// retries until disconnectFromEngine() or a permanent error.
  void connectToEngine(const QString& address);
  void disconnectFromEngine();

  void sendHello(std::int64_t since, int attempt);
  /// Returns the request's id; empty: not connected.
  QString sendCommand(protocol::CommandName name);
  /// Gives the request its id.
  QString sendPredict(protocol::PredictRequest request);
  QString sendExplain(protocol::ExplainRequest request);
  /// Ends a request, which is refused then.
  void sendCancel(const QString& id);
  QString sendFileRequest(const QString& path, std::int64_t offset);

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
  void statusReceived(const QString& id, const lockstep::protocol::RunStatus& status);
  void filePartReceived(const QString& id, const lockstep::protocol::FilePart& part);
  void refused(const QString& id, const QString& message);
  /// How far a request is, images.
  void progressed(const QString& id, qint64 done, qint64 of);
  /// A permanent error (another protocol version, no permission): there are no more attempts.
  void failed(const QString& message);

 private:
  void setState(State state, const QString& error = {});
  void connectTransport();
  void tryConnect();
  void handleLine(const std::string& line);
  void noteGarbage(const QString& text);
  void handleWelcomeTimeout();
  void handleSilence();
  void handleClosed(const QString& reason, bool isPermanent);
  void retryLater(const QString& error);
  void send(const protocol::ClientMessage& message);
  void ask(const protocol::ClientMessage& request);
  template <typename Request>
  QString askWithId(Request request);
  QString nextId();

  std::unique_ptr<EngineTransport> transport_;  ///< of address_
  std::optional<std::chrono::milliseconds> welcomeTimeout_;
  std::optional<std::chrono::milliseconds> answerTimeout_;
  QTimer retry_;
  QTimer welcomeTimer_;    ///< runs from opening the transport to the welcome
  QTimer silence_;         ///< runs from a request to the next bytes
  bool isProbed_ = false;  ///< it was silent, and was asked for its state
  QString address_;
  QString garbage_;  ///< first undecodable line since the last message
  int garbageLines_ = 0;
  QString lastError_;
  State state_ = State::Off;
  std::chrono::milliseconds delay_{0};
  int lastId_ = 0;
};

}  // namespace lockstep::app
