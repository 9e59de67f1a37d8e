#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "engine/protocol/messages.h"

namespace lockstep::app {

/// How an engine is reached: a stream of lines that can be opened again. No method blocks. Lines
/// are handed over a few at a time, and bytes are read from the system only when needed for them.
class EngineTransport : public QObject {
  Q_OBJECT

 public:
  explicit EngineTransport(QObject* parent = nullptr);

  /// Emits opened, then closed; or closed alone. Lines of before are dropped.
  void open();
  /// Nothing is emitted after it.
  void close();
  void send(const protocol::ClientMessage& message);
  /// What the other side said beside the messages, the last line; empty: nothing.
  virtual QString lastWords() const { return {}; }

  struct Patience {
    std::chrono::milliseconds welcome;   ///< from opened to the engine's welcome
    std::chrono::milliseconds maxDelay;  ///< between two attempts
  };
  virtual Patience patience() const = 0;

 Q_SIGNALS:
  void opened();
  /// Bytes arrived, perhaps part of a line.
  void received();
  void lineReceived(const std::string& line);
  /// Skipped a line of more than protocol::kMaxLineBytes.
  void lineDropped();
  /// Emitted after all lines that came before. `isPermanent`: another attempt would fail, too.
  void closed(const QString& reason, bool isPermanent);

 protected:
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual void write(const QByteArray& bytes) = 0;
  /// Reads at most `maxBytes`; empty: nothing is available now.
  virtual QByteArray read(qint64 maxBytes) = 0;
  /// Bytes can be read.
  void handleReady();
  /// No more will come.
  void handleClosed(const QString& reason, bool isPermanent);

 private:
  struct Closing {
    QString reason;
    bool isPermanent = false;
  };
  void handOver();

  protocol::LineBuffer lines_;
  QTimer more_;                     ///< runs while lines wait to be handed over
  std::optional<Closing> closing_;  ///< the other side closed it
  int session_ = 0;                 ///< changes when it is opened or closed
};

/// Of a socket path, or of the address of a run on another machine (RemotePlace).
std::unique_ptr<EngineTransport> makeTransport(const QString& address);

}  // namespace lockstep::app
