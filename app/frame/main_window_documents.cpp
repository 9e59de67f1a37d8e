// MainWindow's handling of the document: Train, the window title.
#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QUrl>

#include "app/configure/command_consent.h"
#include "app/configure/compare_dialog.h"
#include "app/configure/configure_page.h"
#include "app/configure/new_experiment_dialog.h"
#include "app/documents/experiment_file.h"
#include "app/frame/busy_devices.h"
#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/frame/recent_files.h"
#include "app/frame/top_bar.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/literal_text.h"

namespace lockstep::app {

void MainWindow::connectConfigurePage(ConfigurePage* page) {
  connect(page, &ConfigurePage::documentChanged, this, &MainWindow::updateTrainable);
  connect(page, &ConfigurePage::rangeTestRequested, this, &MainWindow::findLearningRate);
  connect(page, &ConfigurePage::comparisonRequested, this, &MainWindow::chooseComparison);
  connect(page, &ConfigurePage::checked, this, [this](const QString& name, const QString& summary) {
    noFaults_ = tr("No errors in data and weights of %1").arg(name);
    pages_->showNotice(noFaults_, summary, {}, {});
  });
  // What was checked is not what is shown now.
  const auto forgetCheck = [this] { pages_->hideMessage(noFaults_); };
  connect(page->editor(), &widgets::ConfigEditor::textEdited, this, forgetCheck);
  connect(page->document(), &DocumentController::opened, this, forgetCheck);
  page->setRuns([this] {
    QStringList folders;
    for (const RunChoice& run : ownRuns()) folders << run.folder;
    return folders;
  });
  page->setLastFile(recent_->files().value(0));
  connect(page, &ConfigurePage::newRequested, this,
          [this] { newExperiment(ExperimentOrigin::Data); });
  DocumentController* document = page->document();
  connect(document, &DocumentController::saved, this, &MainWindow::noteOpened);
  connect(document, &DocumentController::saved, this,
          [this, page] { consent_->add(page->writtenCommands()); });
  connect(document, &DocumentController::stateChanged, this, [this, document] {
    if (document->hasFile()) noteOpened(document->path());
    keepLayoutSoon();
  });
  connect(qApp, &QGuiApplication::commitDataRequest, this, &MainWindow::keepDrafts,
          Qt::DirectConnection);
}

void MainWindow::chooseComparison() {
  auto* dialog = new CompareDialog(ownRuns(), this);
  dialog->setFolder(QFileInfo(configurePage()->document()->path()).path());
  connect(dialog, &CompareDialog::chosen, configurePage(), &ConfigurePage::compareWith);
  dialog->open();
}

void MainWindow::openWithDialog() {
  showPage(Page::Configure);
  configurePage()->openWithDialog();
}

void MainWindow::openCopyOfRun(const QString& folder) {
  const QModelIndex listed = runList_->index(runList_->rowOf(folder));
  if (const QString program = listed.data(RunListModel::ProgramRole).toString(); !program.isEmpty())
    return pages_->showWarning(tr("This run has no experiment file"),
                               tr("It is a run of %1.").arg(program), tr("New experiment…"),
                               [this] { newExperiment(ExperimentOrigin::Data); });
  if (RemotePlace::isRemote(folder)) return openCopyFromElsewhere(folder);
  showPage(Page::Configure);
  configurePage()->openCopyOfRun(folder);
}

void MainWindow::openCopyWith(const QString& folder, const QString& change) {
  showPage(Page::Configure);
  if (!configurePage()->openCopyOfRun(folder)) return;
  const QString key = change.section(u'=', 0, 0), value = change.section(u'=', 1);
  configurePage()->editor()->setValue(key, value);
  pages_->showNotice(
      tr("A copy of the experiment of %1, with %2: %3").arg(runList_->nameOf(folder), key, value),
      tr("Ctrl+Z undoes the change. Train starts it as a new run."), {}, {});
}

/// Of a run on another machine: its config.yaml, because bases are where it is.
void MainWindow::openCopyFromElsewhere(const QString& address) {
  const RunFileAccess files = openRuns_->open(address)->files();
  const QString copy =
      QString::fromStdString(run_folder::Layout(files.folder.toStdString()).config().string());
  const QString name = QUrl(address).fileName();
  files.bring(copy, [this, window = QPointer(this), copy, name](const QString& error) {
    if (!window) return;  // the run is closed with it
    try {
      if (!error.isEmpty()) throw Error(error.toStdString());
      const QString text = ExperimentFile::read(copy);
      showPage(Page::Configure);
      configurePage()->openText(text, QDir::current().filePath(name + QStringLiteral(".yaml")));
    } catch (const std::exception& failure) {
      pages_->showFailure(tr("The run's configuration cannot be opened"),
                          QString::fromUtf8(failure.what()));
    }
  });
}

void MainWindow::keepDrafts() {
  if (ConfigurePage* configure = pages_->existingConfigurePage()) configure->keepDraft();
  if (options_.keepLayout) saveLayout();
}

/// The title names the current run or the edited experiment, and marks unsaved edits.
void MainWindow::updateTitle() {
  const RunController* run = currentRun();
  const ConfigurePage* configure = pages_->existingConfigurePage();
  QString shown = run ? runList_->nameOf(run->folder()) : QString();
  if (configure && (shown.isEmpty() || page() == Page::Configure))
    shown = configure->documentName();
  setWindowTitle(shown.isEmpty() ? QStringLiteral("Lockstep")
                                 : tr("%1[*] – Lockstep").arg(widgets::inertText(shown)));
  setWindowModified(configure && configure->isUnsaved());
}

void MainWindow::updateTrainable() {
  const ConfigurePage* configure = pages_->existingConfigurePage();
  const QString blocked =
      configure ? configure->trainingBlockedBy() : tr("Open an experiment first");
  topBar_->setExperiment(
      configure ? configure->trainName() : QString(), blocked.isEmpty(),
      blocked.isEmpty()
          ? tr("Train this experiment: its run is called %1")
                .arg(QString::fromStdString(configure->editor()->loaded().experiment.name))
          : blocked);
  const bool isOpen = configure && configure->hasDocument();
  documentActions_.save->setEnabled(isOpen);
  documentActions_.saveAs->setEnabled(isOpen);
  // With errors, Train goes to the first one.
  const bool hasData = isOpen && !configure->preparation().isPending();
  documentActions_.train->setEnabled(hasData);
  documentActions_.rangeTest->setEnabled(hasData);
  const bool areSeveral =
      isOpen && pages_->existingConfigurePage()->document()->documents().size() > 1;
  documentActions_.next->setEnabled(areSeveral);
  documentActions_.close->setEnabled(isOpen);
  documentActions_.queue->setEnabled(hasData);
  documentActions_.check->setEnabled(hasData);
  if (auto* dialog = findChild<NewExperimentDialog*>()) dialog->setBlocked(workerMissingText());
  devices_->setWatching(isOpen);
  updateTitle();
}

/// Reason why importing and making scenes are unavailable; empty if available.
QString MainWindow::workerMissingText() const {
  const ConfigurePage* configure = pages_->existingConfigurePage();
  const bool isBuilt = !configure || configure->preparation().stage != Preparation::Stage::Building;
  return isBuilt ? QString() : configure->preparation().text();
}

void MainWindow::train() { startTraining(EngineProcess::When::Now); }

void MainWindow::addToQueue() { startTraining(EngineProcess::When::Queued); }

QString MainWindow::fileToTrain() {
  ConfigurePage* configure = configurePage();
  if (!configure->trainingBlockedBy().isEmpty()) {
    showPage(Page::Configure);
    configure->hasDocument() ? configure->editor()->goToFirstError() : configure->openWithDialog();
    return {};
  }
  const QString file = configure->fileToTrain();
  // A file that was just reloaded is shown before it is trained.
  const bool isReloaded = configure->document()->notice().kind == DocumentNotice::Kind::Reloaded;
  if (file.isEmpty() && isReloaded) showPage(Page::Configure);
  return file;
}

void MainWindow::startTraining(EngineProcess::When when) {
  if (engine_->isStarting()) return;
  const QString file = fileToTrain();
  if (file.isEmpty()) return;
  const ConfigurePage* configure = configurePage();
  consent_->add(configure->writtenCommands());
  if (!consent_->mayRun(configure->editor()->loaded().experiment.monitor.onEvent,
                        configure->documentName()))
    return;
  if (engine_->isStarting()) return;  // another run began during the question
  startedFile_ = configure->document()->path();
  setStarting(true);
  engine_->startTraining(file, runList_->parentFolder(), when);
}

}  // namespace lockstep::app
