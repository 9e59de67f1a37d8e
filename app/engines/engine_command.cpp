#include "app/engines/engine_command.h"

#include <QDir>
#include <QTimer>
#include <chrono>
#include <utility>

#include "app/engines/engine_program.h"
#include "app/text/window_words.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kHeedsWithin{3};
/// After a kill: longer only where a disk does not answer.
constexpr int kEndsWithinMilliseconds = 500;

}  // namespace

EngineCommand::EngineCommand(const QString& program, QObject* parent)
    : QObject(parent), program_(engineProgram(program)) {}

EngineCommand::~EngineCommand() {
  if (!process_) return;
  process_->disconnect(this);
  process_->kill();
  process_->waitForFinished(kEndsWithinMilliseconds);
}

void EngineCommand::start(const QStringList& arguments, const QString& folder) {
  if (process_) return;
  messages_.clear();
  process_ = new QProcess(this);
  process_->setStandardInputFile(QProcess::nullDevice());
  process_->setWorkingDirectory(folder);
  connect(process_, &QProcess::readyReadStandardError, this, &EngineCommand::readMessages);
  connect(process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    finish(status == QProcess::NormalExit ? code : -1);
  });
  connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;  // other errors are followed by finished()
    messages_ = tr("%1 cannot be started: it is missing or not executable. Build it, or "
                   "reinstall Lockstep.")
                    .arg(QDir::toNativeSeparators(program_))
                    .toUtf8();
    finish(-1);
  });
  process_->start(program_, arguments);
}

void EngineCommand::cancel() {
  if (!process_) return;
  process_->terminate();
  QTimer::singleShot(kHeedsWithin, process_, &QProcess::kill);
}

/// Progress lines end with a carriage return on a terminal, and with a new line elsewhere.
void EngineCommand::readMessages() {
  messages_ += process_->readAllStandardError();
  const QByteArray lines = messages_.trimmed();
  const qsizetype begin = std::max(lines.lastIndexOf('\n'), lines.lastIndexOf('\r')) + 1;
  if (begin < lines.size()) Q_EMIT progressed(QString::fromUtf8(lines.mid(begin)));
}

void EngineCommand::finish(int exitStatus) {
  QProcess* process = std::exchange(process_, nullptr);
  process->deleteLater();
  messages_ += process->readAllStandardError();
  Q_EMIT finished(exitStatus, QString::fromUtf8(process->readAllStandardOutput()),
                  inWindowWords(QString::fromUtf8(messages_).trimmed()));
}

}  // namespace lockstep::app
