#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <chrono>
#include <memory>
#include <string>

#include "engine/protocol/messages.h"

namespace lockstep::app {

/// How an engine is reached: a stream of lines that can be opened again. No method blocks.
class EngineTransport : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Emits opened, then closed; or closed alone. Lines of before are dropped.
  void open();
  /// Emits nothing.
  void close();
  void send(const protocol::ClientMessage& message);
  /// The next line that was received; also those from before it was closed by the other side.
  protocol::LineBuffer::Result nextLine(std::string& line) { return lines_.next(line); }
  /// What the other side said beside the messages, the last line; empty: nothing.
  virtual QString lastWords() const { return {}; }

  struct Patience {
    std::chrono::milliseconds welcome;   ///< from opened to the engine's welcome
    std::chrono::milliseconds maxDelay;  ///< between two attempts
  };
  virtual Patience patience() const = 0;

 Q_SIGNALS:
  void opened();
  /// There are more lines, or a part of one.
  void received();
  /// Why; `isPermanent`: another attempt would fail, too.
  void closed(const QString& reason, bool isPermanent);

 protected:
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual void write(const QByteArray& bytes) = 0;
  void receive(const QByteArray& bytes);

 private:
  protocol::LineBuffer lines_;
};

/// Of a socket path, or of the address of a run on another machine (RemotePlace).
std::unique_ptr<EngineTransport> makeTransport(const QString& address);

}  // namespace lockstep::app
