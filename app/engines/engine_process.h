#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace lockstep::app {

/// Runs `lockstep-engine train … --detach` or `--queue`, which exits once the run has started in
/// the background, waits in the queue, or failed to start. One start at a time. No method blocks.
class EngineProcess : public QObject {
  Q_OBJECT

 public:
  /// `program` empty: lockstep-engine beside this program.
  explicit EngineProcess(const QString& program = {}, QObject* parent = nullptr);
  ~EngineProcess() override;

  QString program() const { return program_; }
  bool isStarting() const { return process_ != nullptr; }
  enum class When { Now, Queued };
  /// Trains an experiment file, at once or when its devices are free. `runsFolder`: where the run
  /// folder is created.
  void startTraining(const QString& configFile, const QString& runsFolder, When when = When::Now);
  /// Starts a learning-rate range test of an experiment file, a run of its own.
  void startRangeTest(const QString& configFile, const QString& runsFolder);
  /// Starts a new run beside a run, from its checkpoint of this step.
  void forkRun(const QString& runFolder, qint64 step, const QStringList& overrides);
  /// Resumes a run that has ended, from its newest checkpoint, or one that no longer waits.
  void resumeRun(const QString& runFolder, const QStringList& overrides = {},
                 When when = When::Now);
  /// The last start was refused because the data differ from those of the checkpoint.
  bool canAcceptData() const { return canAcceptData_; }
  /// Starts it again with these data.
  void acceptData();

 Q_SIGNALS:
  /// The run's socket answers.
  void started(const QString& runFolder);
  /// `message`: the engine's standard error, in the window's words. exitStatus -1: it did not start
  /// or was killed.
  void failed(const QString& message, int exitStatus);

 private:
  void start(QStringList arguments, const QStringList& overrides, const QString& runsFolder);
  void finish(int exitCode, QProcess::ExitStatus status);

  QString program_;
  QProcess* process_ = nullptr;
  QStringList arguments_;  ///< of the last start
  QString runsFolder_;     ///< likewise
  bool canAcceptData_ = false;
};

}  // namespace lockstep::app
