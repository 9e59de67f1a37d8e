// The window and its document: what comes back, what Train says and does, the title.
#include <QApplication>

#include "app/configure/configure_page.h"
#include "app/configure/document_banner.h"
#include "app/frame/main_window.h"
#include "app/frame/top_bar.h"
#include "widgets/banner.h"
#include "widgets/config_editor/config_editor.h"

namespace lockstep::app {

void MainWindow::connectConfigurePage() {
  connect(configure_, &ConfigurePage::documentChanged, this, &MainWindow::updateTrainable);
  connect(configure_, &ConfigurePage::failed, this, &MainWindow::showFailure);
  connect(configure_, &ConfigurePage::readyChanged, this, &MainWindow::readyChanged);
  documentBanner_->setDocument(configure_->document());
  connect(documentBanner_, &DocumentBanner::documentWanted, this,
          [this] { showPage(Page::Configure); });
  connect(qApp, &QGuiApplication::commitDataRequest, this, &MainWindow::keepDrafts,
          Qt::DirectConnection);
}

/// Unsaved edits that an earlier window left. They open by themselves when nothing else was asked
/// for (`isFree`); else it is said that they wait.
void MainWindow::bringBackDrafts(bool isFree) {
  const DraftFolder drafts(options_.draftFolder);
  if (const QStringList damaged = drafts.setAsideDamaged(); !damaged.isEmpty())
    showFailure(tr("Unsaved edits of an earlier session cannot be read"),
                tr("Their file is damaged. A text editor shows what is left of it: %1")
                    .arg(damaged.join(QStringLiteral(", "))));
  const QList<LeftDraft> left = drafts.left();
  if (left.isEmpty()) return;
  if (isFree && configurePage()->openDraft(left.front().id)) {
    showPage(Page::Configure);
  } else {
    configurePage()->document()->announceLeftDrafts();
  }
}

void MainWindow::openCopyOfRun(const QString& folder) {
  showPage(Page::Configure);
  configure_->openCopyOfRun(folder);
}

void MainWindow::keepDrafts() {
  if (configure_) configure_->keepDraft();
}

/// The run that is looked at, else the experiment that is edited; a mark for unsaved edits.
void MainWindow::updateTitle() {
  const RunController* run = currentRun();
  QString shown = run ? QString::fromStdString(run->info().name) : QString();
  if (configure_ && (shown.isEmpty() || page() == Page::Configure))
    shown = configure_->documentName();
  setWindowTitle(shown.isEmpty() ? QStringLiteral("Lockstep")
                                 : shown + QStringLiteral("[*] – Lockstep"));
  setWindowModified(configure_ && configure_->isUnsaved());
}

void MainWindow::updateTrainable() {
  const QString blocked =
      configure_ ? configure_->trainingBlockedBy() : tr("Open an experiment first (Ctrl+O)");
  topBar_->setExperiment(configure_ ? configure_->documentName() : QString(), blocked.isEmpty(),
                         blocked.isEmpty() ? tr("Train this experiment (Ctrl+Return)") : blocked);
  const bool isOpen = configure_ && configure_->hasDocument();
  documentActions_.save->setEnabled(isOpen);
  documentActions_.saveElsewhere->setEnabled(isOpen);
  // With faults it leads to the first of them.
  documentActions_.train->setEnabled(isOpen);
  updateTitle();
}

void MainWindow::train() {
  if (engine_->isStarting()) return;
  const QString blocked = configurePage()->trainingBlockedBy();
  if (!blocked.isEmpty()) {
    showPage(Page::Configure);
    configure_->hasDocument() ? configure_->editor()->goToFirstError()
                              : configure_->openWithDialog();
    return;
  }
  const QString file = configure_->fileToTrain();
  if (file.isEmpty()) {
    // What changed on disk under the person's hands is shown before it is trained.
    if (configure_->document()->notice().kind == DocumentNotice::Kind::ReadAgain)
      showPage(Page::Configure);
    return;
  }
  banner_->hide();
  setStarting(true);
  engine_->startTraining(file, runList_->parentFolder());
}

}  // namespace lockstep::app
