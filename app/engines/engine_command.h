#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace lockstep::app {

/// One command of `lockstep-engine` that ends by itself, such as `dataset import`: its output, its
/// progress, and how it ended. One at a time; it ends with this object. No method blocks, except
/// the destructor until a running command has been killed.
class EngineCommand : public QObject {
  Q_OBJECT

 public:
  /// `program` empty: lockstep-engine beside this program.
  explicit EngineCommand(const QString& program = {}, QObject* parent = nullptr);
  ~EngineCommand() override;

  bool isRunning() const { return process_ != nullptr; }
  /// `folder`: where it runs; empty: as this program.
  void start(const QStringList& arguments, const QString& folder = {});
  /// Ends it as Ctrl+C does, and kills it if it does not heed that. finished() follows.
  void cancel();

 Q_SIGNALS:
  /// The last line of its standard error.
  void progressed(const QString& line);
  /// exitStatus -1: it did not start, or was killed. `messages`: its standard error, in the
  /// window's words.
  void finished(int exitStatus, const QString& output, const QString& messages);

 private:
  void readMessages();
  void finish(int exitStatus);

  QString program_;
  QProcess* process_ = nullptr;
  QByteArray messages_;
};

}  // namespace lockstep::app
