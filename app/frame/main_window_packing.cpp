// Runs as one file: lockstep-engine writes them, and shows them through attach.
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <cstdint>
#include <exception>

#include "app/engines/engine_command.h"
#include "app/engines/remote_place.h"
#include "app/export/figure_export.h"
#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/frame/status_strip.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/open/run_controller.h"
#include "engine/pack/run_members.h"
#include "engine/run_folder/run_folder.h"
#include "widgets/jobs/awaited.h"
#include "widgets/jobs/jobs.h"
#include "widgets/question_dialog.h"

namespace lockstep::app {
namespace {

const QString kExtension = QStringLiteral(".lockstep");
constexpr int kPackedMs = 15000;

QString megabytes(std::uintmax_t bytes) {
  return MainWindow::tr("%1 MB").arg(static_cast<double>(bytes) / 1e6, 0, 'f', 1);
}

/// What a packed run takes, without the images that its predictions are of.
struct PackedBytes {
  std::uintmax_t own = 0;
  std::uintmax_t withWeights = 0;  ///< of its best checkpoint; 0: it has none
};

/// Blocks. Where the run cannot be read, packing it says why.
PackedBytes packedBytesOf(const QString& folder) {
  const run_folder::Layout layout(folder.toStdString());
  try {
    const auto weights = run_folder::resolveWeights(layout, "best");
    return {pack::packedBytes(layout, {}), pack::packedBytes(layout, weights)};
  } catch (const std::exception&) {
    return {};  // without a checkpoint there is nothing to choose
  }
}

QString shortNameOf(const QString& path) { return QFileInfo(path).fileName(); }

}  // namespace

/// Asks first whether the weights are to go with it, and says what they cost.
void MainWindow::packRun(const QString& folder) {
  if (packing_.isRunning()) return;
  packing_ = jobs::start(
      this, jobs::Kind::Disk, [folder] { return packedBytesOf(folder); },
      [this, folder](const PackedBytes& bytes) {
        if (QApplication::activeModalWidget()) return;  // something else is asked by now
        if (bytes.withWeights == 0) return savePackedRun(folder, false);
        widgets::QuestionDialog question(
            tr("Include the weights of %1?").arg(runList_->nameOf(folder)),
            tr("The file has curves, log, evaluations and predictions with their images (%1 and "
               "the images). The best weights add %2 and allow new predictions.")
                .arg(megabytes(bytes.own), megabytes(bytes.withWeights - bytes.own)),
            this);
        const int without = question.addAnswer(tr("Without weights (%1)").arg(megabytes(bytes.own)),
                                               widgets::QuestionDialog::Kind::Default);
        question.addAnswer(tr("With the best weights (%1)").arg(megabytes(bytes.withWeights)),
                           widgets::QuestionDialog::Kind::Other);
        question.addCancel();
        const int answer = question.ask();
        if (answer != widgets::QuestionDialog::kCancel) savePackedRun(folder, answer != without);
      });
}

void MainWindow::savePackedRun(const QString& folder, bool withWeights) {
  const QString name = runList_->nameOf(folder);
  QString path = QFileDialog::getSaveFileName(
      this, tr("Save the run as one file"),
      QDir(jobs::folderToBeginWith(QFileInfo(folder).path()))
          .filePath(fileNameOf(name) + kExtension),
      tr("Runs in one file (*.lockstep)"), nullptr, QFileDialog::DontConfirmOverwrite);
  if (path.isEmpty()) return;
  if (!path.endsWith(kExtension)) path += kExtension;
  QStringList arguments{QStringLiteral("pack"), folder, QStringLiteral("--out"), path};
  if (withWeights) arguments << QStringLiteral("--weights") << QStringLiteral("best");
  auto* engine = new EngineCommand({}, this);
  connect(engine, &EngineCommand::finished, this,
          [this, engine, path](int status, const QString&, const QString& messages) {
            engine->deleteLater();
            if (status != 0)
              return pages_->showFailure(
                  tr("The run was not saved as one file"),
                  messages.isEmpty() ? tr("lockstep-engine failed.") : messages);
            status_->showMessage(tr("Saved %1").arg(path), kPackedMs);
            if (!messages.isEmpty())
              pages_->showWarning(tr("%1 is incomplete").arg(shortNameOf(path)),
                                  QString(messages).remove(QStringLiteral("[pack] warning: ")));
          });
  status_->showMessage(tr("Saving %1…").arg(shortNameOf(path)), kPackedMs);
  engine->start(arguments);
}

void MainWindow::openPackedRun() {
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Open a run in one file"), jobs::folderToBeginWith(runList_->parentFolder()),
      tr("Runs in one file (*.lockstep)"));
  if (!path.isEmpty()) openRemote(RemotePlace::packedRun(QDir::cleanPath(path)), true);
}

}  // namespace lockstep::app
