// MainWindow's handling of the document: Train, the window title.
#include <QApplication>

#include "app/configure/configure_page.h"
#include "app/controllers/busy_devices.h"
#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/frame/top_bar.h"
#include "widgets/config_editor/config_editor.h"

namespace lockstep::app {

void MainWindow::connectConfigurePage(ConfigurePage* page) {
  connect(page, &ConfigurePage::documentChanged, this, &MainWindow::updateTrainable);
  connect(qApp, &QGuiApplication::commitDataRequest, this, &MainWindow::keepDrafts,
          Qt::DirectConnection);
}

void MainWindow::openWithDialog() {
  showPage(Page::Configure);
  configurePage()->openWithDialog();
}

void MainWindow::openCopyOfRun(const QString& folder) {
  const QModelIndex listed = runList_->index(runList_->rowOf(folder));
  if (const QString program = listed.data(RunListModel::ProgramRole).toString(); !program.isEmpty())
    return pages_->showWarning(tr("This run has no experiment file"),
                               tr("It is a run of %1.").arg(program));
  if (const QString host = listed.data(RunListModel::HostRole).toString(); !host.isEmpty())
    return pages_->showWarning(tr("The experiment file of this run is on another machine"), host);
  showPage(Page::Configure);
  configurePage()->openCopyOfRun(folder);
}

void MainWindow::keepDrafts() {
  if (ConfigurePage* configure = pages_->existingConfigurePage()) configure->keepDraft();
}

/// The title names the current run or the edited experiment, and marks unsaved edits.
void MainWindow::updateTitle() {
  const RunController* run = currentRun();
  const ConfigurePage* configure = pages_->existingConfigurePage();
  QString shown = run ? QString::fromStdString(run->info().name) : QString();
  if (configure && (shown.isEmpty() || page() == Page::Configure))
    shown = configure->documentName();
  setWindowTitle(shown.isEmpty() ? QStringLiteral("Lockstep")
                                 : shown + QStringLiteral("[*] – Lockstep"));
  setWindowModified(configure && configure->isUnsaved());
}

void MainWindow::updateTrainable() {
  const ConfigurePage* configure = pages_->existingConfigurePage();
  const QString blocked =
      configure ? configure->trainingBlockedBy() : tr("Open an experiment first");
  topBar_->setExperiment(configure ? configure->documentName() : QString(), blocked.isEmpty(),
                         blocked.isEmpty() ? tr("Train this experiment") : blocked);
  const bool isOpen = configure && configure->hasDocument();
  documentActions_.save->setEnabled(isOpen);
  documentActions_.saveAs->setEnabled(isOpen);
  // With errors, Train goes to the first one.
  documentActions_.train->setEnabled(isOpen);
  documentActions_.queue->setEnabled(isOpen);
  devices_->setWatching(isOpen);
  updateTitle();
}

void MainWindow::train() { startTraining(EngineProcess::When::Now); }

void MainWindow::addToQueue() { startTraining(EngineProcess::When::Queued); }

void MainWindow::startTraining(EngineProcess::When when) {
  if (engine_->isStarting()) return;
  ConfigurePage* configure = configurePage();
  if (!configure->trainingBlockedBy().isEmpty()) {
    showPage(Page::Configure);
    configure->hasDocument() ? configure->editor()->goToFirstError() : configure->openWithDialog();
    return;
  }
  const QString file = configure->fileToTrain();
  if (file.isEmpty()) {
    // A file that was just reloaded is shown before it is trained.
    if (configure->document()->notice().kind == DocumentNotice::Kind::Reloaded)
      showPage(Page::Configure);
    return;
  }
  pages_->hideMessage();
  setStarting(true);
  engine_->startTraining(file, runList_->parentFolder(), when);
}

}  // namespace lockstep::app
