// Runs as one file: lockstep-engine writes them, and shows them through attach.
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include "app/controllers/engine_command.h"
#include "app/controllers/run_controller.h"
#include "app/export/figure_export.h"
#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/frame/status_strip.h"
#include "app/models/remote_place.h"
#include "app/models/run_list_model.h"
#include "widgets/jobs/awaited.h"

namespace lockstep::app {
namespace {

const QString kExtension = QStringLiteral(".lockstep");
constexpr int kPackedMs = 15000;

QString shortNameOf(const QString& path) { return QFileInfo(path).fileName(); }

}  // namespace

void MainWindow::packRun(const QString& folder) {
  const QString name = runList_->nameOf(folder);
  const QString withWeights = tr("With the best weights (*.lockstep)"),
                without = tr("Without weights, small (*.lockstep)");
  QString filter = without;
  QString path = QFileDialog::getSaveFileName(
      this, tr("Save the run as one file"),
      QDir(jobs::folderToBeginWith(QDir::homePath())).filePath(fileNameOf(name) + kExtension),
      without + QStringLiteral(";;") + withWeights, &filter, QFileDialog::DontConfirmOverwrite);
  if (path.isEmpty()) return;
  if (!path.endsWith(kExtension)) path += kExtension;
  QStringList arguments{QStringLiteral("pack"), folder, QStringLiteral("--out"), path};
  if (filter == withWeights) arguments << QStringLiteral("--weights") << QStringLiteral("best");
  auto* engine = new EngineCommand({}, this);
  connect(engine, &EngineCommand::finished, this,
          [this, engine, path](int status, const QString&, const QString& messages) {
            engine->deleteLater();
            if (status != 0)
              return pages_->showFailure(
                  tr("The run was not saved as one file"),
                  messages.isEmpty() ? tr("lockstep-engine did not end well.") : messages);
            status_->showMessage(tr("Saved %1").arg(path), kPackedMs);
            if (!messages.isEmpty())
              pages_->showWarning(tr("%1 lacks something").arg(shortNameOf(path)),
                                  QString(messages).remove(QStringLiteral("[pack] warning: ")));
          });
  status_->showMessage(tr("Saving %1…").arg(shortNameOf(path)), kPackedMs);
  engine->start(arguments);
}

void MainWindow::openPackedRun() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a run in one file"),
                                                    jobs::folderToBeginWith(QDir::homePath()),
                                                    tr("Runs in one file (*.lockstep)"));
  if (!path.isEmpty()) openRemote(RemotePlace::packedRun(QDir::cleanPath(path)), true);
}

}  // namespace lockstep::app
