#pragma once

#include <QObject>
#include <QString>
#include <QTemporaryDir>
#include <memory>

#include "app/engines/engine_command.h"
#include "engine/config/experiment.h"

namespace lockstep::app {

/// An experiment, saved or not, as a file for the engine; it is gone with this object. Throws Error
/// if it cannot be written.
class ExperimentCopy {
 public:
  explicit ExperimentCopy(const config::Experiment& experiment);

  QString file() const { return pathOf("experiment.yaml"); }
  /// Of another file beside it.
  QString pathOf(const char* name) const { return folder_.filePath(QLatin1String(name)); }

 private:
  QTemporaryDir folder_;
};

/// `lockstep-engine dataset …` of an experiment, saved or not, whose answer is written beside a
/// copy of it. One at a time; destroying it ends it. No method blocks.
class ExperimentCommand : public QObject {
  Q_OBJECT

 public:
  /// `program` empty: lockstep-engine beside this program.
  explicit ExperimentCommand(const QString& program = {}, QObject* parent = nullptr);

  bool isRunning() const { return command_.isRunning(); }
  /// `dataset COMMAND EXPERIMENT --out OUT`. The last answer is gone.
  void start(const config::Experiment& experiment, const QString& command, const char* out);
  /// canceled() follows, and neither finished() nor failed().
  void cancel();
  /// Of a file beside the experiment; it is there until the next start.
  QString pathOf(const char* name) const { return experiment_->pathOf(name); }

 Q_SIGNALS:
  void progressed(const QString& text);
  /// exitStatus 0 or 1. `messages`: its standard error.
  void finished(int exitStatus, const QString& messages);
  void failed(const QString& reason);
  void canceled();

 private:
  void handleFinish(int exitStatus, const QString& messages);

  EngineCommand command_;
  std::unique_ptr<ExperimentCopy> experiment_;
  bool isCanceled_ = false;
};

}  // namespace lockstep::app
