#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>

#include "app/engines/remote_place.h"
#include "engine/base/file_descriptor.h"

class QSocketNotifier;

namespace lockstep::app {

/// Runs `lockstep-engine` on another machine, through ssh: $LOCKSTEP_SSH, a command line to which
/// options may belong, else `ssh`. It never asks for a password or about a host key (BatchMode).
/// One process at a time, which is killed with this object. Its output waits in a pipe until it is
/// read, so that a flood takes no memory here. No method blocks or waits for it.
class SshProcess : public QObject {
  Q_OBJECT

 public:
  explicit SshProcess(const RemotePlace& place, QObject* parent = nullptr);
  ~SshProcess() override;

  /// `arguments` of lockstep-engine. Emits started, then ended; or ended alone.
  void start(const QStringList& arguments);
  /// Kills the process; nothing is emitted any more.
  void stop();
  bool isRunning() const { return process_ != nullptr; }
  void write(const QByteArray& bytes);
  /// Reads at most `maxBytes` of its standard output, also after its end. Empty: nothing is
  /// available now; readyRead follows while it runs.
  QByteArray read(qint64 maxBytes);
  /// The last line of its standard error so far.
  QString lastErrorLine() const;

  struct End {
    int status = -1;           ///< lockstep-engine's exit status; -1: of neither ssh nor the engine
    QString reason;            ///< one line for a person
    bool isPermanent = false;  ///< another attempt would end the same way
    bool isOtherVersion = false;  ///< lockstep-engine does not know what it was asked
  };

 Q_SIGNALS:
  void started();
  /// Emitted once, until read() has returned nothing.
  void readyRead();
  void ended(const lockstep::app::SshProcess::End& end);

 private:
  base::FileDescriptor openPipe();
  void closePipe();
  void readErrors();
  void finish(int status, QProcess::ExitStatus how);
  End endOf(int status, QProcess::ExitStatus how) const;
  End endOfPacked(int status, QProcess::ExitStatus how, const QString& line) const;

  RemotePlace place_;
  QProcess* process_ = nullptr;
  base::FileDescriptor output_;  ///< read end of its standard output
  QSocketNotifier* hasOutput_ = nullptr;
  QByteArray errors_;  ///< the end of its standard error
};

/// The command line that runs `lockstep-engine` with these arguments at a place: the program first.
QStringList sshCommand(const RemotePlace& place, const QStringList& arguments);

}  // namespace lockstep::app
