#include "app/data/batch_preview.h"

#include <QDir>

#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

constexpr const char* kSheets = "sheets";

QStringList picturesIn(const QString& folder) {
  QStringList files;
  const QDir sheets(folder);
  for (const QString& name : sheets.entryList({QStringLiteral("*.png")}, QDir::Files, QDir::Name))
    files << sheets.filePath(name);
  return files;
}

}  // namespace

BatchPreview::BatchPreview(const QString& program, QObject* parent)
    : QObject(parent), command_(program) {
  connect(&command_, &ExperimentCommand::progressed, this, &BatchPreview::progressed);
  connect(&command_, &ExperimentCommand::failed, this, &BatchPreview::failed);
  connect(&command_, &ExperimentCommand::canceled, this, &BatchPreview::canceled);
  connect(&command_, &ExperimentCommand::finished, this,
          [this](int exitStatus, const QString& messages) {
            if (exitStatus != 0) return Q_EMIT failed(messages);
            jobs::start(
                this, jobs::Kind::Disk,
                [folder = command_.pathOf(kSheets)] { return picturesIn(folder); },
                [this](const QStringList& files) { Q_EMIT finished(files); });
          });
}

void BatchPreview::draw(config::Experiment experiment, std::int64_t seed) {
  experiment.runtime.seed = seed;
  command_.start(experiment, QStringLiteral("preview"), kSheets);
}

}  // namespace lockstep::app
