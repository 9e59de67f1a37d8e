#include "app/engines/engine_process.h"

#include <QDir>
#include <QProcessEnvironment>

#include "app/engines/engine_program.h"
#include "app/text/window_words.h"

namespace lockstep::app {
namespace {

constexpr qsizetype kMaxLines = 50;
const QString kAcceptData = QStringLiteral("--accept-data");

QString lastLines(const QString& output) {
  QStringList lines = output.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
  if (lines.size() > kMaxLines) lines = lines.mid(lines.size() - kMaxLines);
  return inWindowWords(lines.join(QLatin1Char('\n')).trimmed());
}

QString optionOf(EngineProcess::When when) {
  return when == EngineProcess::When::Now ? QStringLiteral("--detach") : QStringLiteral("--queue");
}

}  // namespace

EngineProcess::EngineProcess(const QString& program, QObject* parent)
    : QObject(parent), program_(engineProgram(program)) {}

EngineProcess::~EngineProcess() {
  if (!process_) return;
  // A start in progress continues: closing the app does not end a run.
  process_->disconnect(this);
  process_->setParent(nullptr);
}

void EngineProcess::startTraining(const QString& configFile, const QString& runsFolder, When when) {
  start({QStringLiteral("train"), configFile, optionOf(when)}, {}, runsFolder);
}

void EngineProcess::startRangeTest(const QString& configFile, const QString& runsFolder) {
  start({QStringLiteral("train"), configFile, QStringLiteral("--find-lr"),
         QStringLiteral("--detach")},
        {}, runsFolder);
}

void EngineProcess::forkRun(const QString& runFolder, qint64 step, const QStringList& overrides) {
  start({QStringLiteral("train"), runFolder, QStringLiteral("--from"), QString::number(step),
         QStringLiteral("--detach")},
        overrides, QFileInfo(runFolder).absolutePath());
}

void EngineProcess::resumeRun(const QString& runFolder, const QStringList& overrides, When when) {
  start({QStringLiteral("train"), runFolder, QStringLiteral("--resume"), optionOf(when)}, overrides,
        QFileInfo(runFolder).absolutePath());
}

void EngineProcess::start(QStringList arguments, const QStringList& overrides,
                          const QString& runsFolder) {
  for (const QString& value : overrides) arguments << QStringLiteral("--set") << value;
  if (process_) {
    Q_EMIT failed(tr("A run is already starting; wait for it."), -1);
    return;
  }
  process_ = new QProcess(this);
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  if (!runsFolder.isEmpty()) environment.insert(QStringLiteral("LOCKSTEP_RUNS"), runsFolder);
  process_->setProcessEnvironment(environment);
  process_->setStandardInputFile(QProcess::nullDevice());
  connect(process_, &QProcess::finished, this, &EngineProcess::finish);
  connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;  // other errors are followed by finished()
    process_->deleteLater();
    process_ = nullptr;
    Q_EMIT failed(tr("%1 cannot be started: it is missing or not executable. Build it, or "
                     "reinstall Lockstep.")
                      .arg(QDir::toNativeSeparators(program_)),
                  -1);
  });
  arguments_ = arguments;
  runsFolder_ = runsFolder;
  canAcceptData_ = false;
  process_->start(program_, arguments);
}

void EngineProcess::acceptData() { start(arguments_ << kAcceptData, {}, runsFolder_); }

void EngineProcess::finish(int exitCode, QProcess::ExitStatus status) {
  QProcess* process = std::exchange(process_, nullptr);
  process->deleteLater();
  const QString folder =
      QString::fromUtf8(process->readAllStandardOutput()).trimmed().section(QLatin1Char('\n'), -1);
  if (status == QProcess::NormalExit && exitCode == 0 && !folder.isEmpty()) {
    Q_EMIT started(QDir::cleanPath(QFileInfo(folder).absoluteFilePath()));
    return;
  }
  const QString output = QString::fromUtf8(process->readAllStandardError());
  canAcceptData_ = output.contains(kAcceptData);
  QString message = lastLines(output);
  if (status == QProcess::CrashExit) {
    message = tr("lockstep-engine was killed while starting the run.\n%1").arg(message).trimmed();
  } else if (exitCode == 0) {
    message = tr("lockstep-engine exited without naming a run folder.");
  } else if (message.isEmpty()) {
    message = tr("lockstep-engine exited with status %1 and no message.").arg(exitCode);
  }
  Q_EMIT failed(message, status == QProcess::CrashExit ? -1 : exitCode);
}

}  // namespace lockstep::app
