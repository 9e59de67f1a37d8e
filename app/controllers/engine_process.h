#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace lockstep::app {

/// Starts `lockstep-engine train … --detach`: the program ends as soon as the run goes on by itself
/// or a fault kept it from that. One start at a time. No method blocks.
class EngineProcess : public QObject {
  Q_OBJECT

 public:
  /// `program` empty: lockstep-engine beside this program.
  explicit EngineProcess(const QString& program = {}, QObject* parent = nullptr);
  ~EngineProcess() override;

  QString program() const { return program_; }
  bool isStarting() const { return process_ != nullptr; }
  /// Starts an experiment file. `runsFolder`: where the run folder is made.
  void startTraining(const QString& configFile, const QString& runsFolder,
                     const QStringList& overrides = {});
  /// Goes on with a run that has stopped, from its newest checkpoint.
  void resumeRun(const QString& runFolder, const QStringList& overrides = {});

 Q_SIGNALS:
  /// The run's socket answers.
  void started(const QString& runFolder);
  /// What the engine said on standard error, and its exit status; -1: it did not start or was
  /// killed.
  void failed(const QString& message, int exitStatus);

 private:
  void start(QStringList arguments, const QStringList& overrides, const QString& runsFolder);
  void finish(int exitCode, QProcess::ExitStatus status);

  QString program_;
  QProcess* process_ = nullptr;
};

}  // namespace lockstep::app
