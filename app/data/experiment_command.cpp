#include "app/data/experiment_command.h"

#include "app/engines/progress_line.h"
#include "engine/base/atomic_file.h"
#include "engine/config/load.h"

namespace lockstep::app {

ExperimentCopy::ExperimentCopy(const config::Experiment& experiment) {
  base::writeFileAtomically(file().toStdString(), config::writeExperiment(experiment));
}

ExperimentCommand::ExperimentCommand(const QString& program, QObject* parent)
    : QObject(parent), command_(program) {
  connect(&command_, &EngineCommand::progressed, this,
          [this](const QString& line) { Q_EMIT progressed(withoutOrigin(line)); });
  connect(&command_, &EngineCommand::finished, this,
          [this](int exitStatus, const QString&, const QString& messages) {
            handleFinish(exitStatus, messages);
          });
}

/// Of a file of its own, so that also what is not saved yet counts.
void ExperimentCommand::start(const config::Experiment& experiment, const QString& command,
                              const char* out) {
  if (isRunning()) return;
  isCanceled_ = false;
  try {
    experiment_ = std::make_unique<ExperimentCopy>(experiment);
  } catch (const std::exception& error) {
    return Q_EMIT failed(QString::fromUtf8(error.what()));
  }
  Q_EMIT progressed(tr("Starting"));
  command_.start({QStringLiteral("dataset"), command, experiment_->file(), QStringLiteral("--out"),
                  experiment_->pathOf(out)});
}

void ExperimentCommand::cancel() {
  isCanceled_ = true;
  command_.cancel();
}

void ExperimentCommand::handleFinish(int exitStatus, const QString& messages) {
  if (isCanceled_) return Q_EMIT canceled();
  if (exitStatus == 0 || exitStatus == 1) return Q_EMIT finished(exitStatus, messages);
  Q_EMIT failed(messages.isEmpty()
                    ? tr("lockstep-engine ended with status %1 and no message.").arg(exitStatus)
                    : messages);
}

}  // namespace lockstep::app
