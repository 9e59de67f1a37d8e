#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <chrono>
#include <memory>

namespace lockstep::app {

/// How EngineLink reaches an engine: a stream of bytes that can be opened again. No method blocks.
class EngineTransport : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Emits opened, then closed; or closed alone.
  virtual void open() = 0;
  /// Emits nothing.
  virtual void close() = 0;
  virtual void write(const QByteArray& bytes) = 0;
  virtual QByteArray readAll() = 0;
  /// What the other side said beside the messages, the last line; empty: nothing.
  virtual QString lastWords() const { return {}; }

  struct Patience {
    std::chrono::milliseconds welcome;   ///< from opened to the engine's welcome
    std::chrono::milliseconds maxDelay;  ///< between two attempts
  };
  virtual Patience patience() const = 0;

 Q_SIGNALS:
  void opened();
  void readyRead();
  /// Why; `isPermanent`: another attempt would fail, too.
  void closed(const QString& reason, bool isPermanent);
};

/// Of a socket path, or of the address of a run on another machine (RemotePlace).
std::unique_ptr<EngineTransport> makeTransport(const QString& address);

}  // namespace lockstep::app
