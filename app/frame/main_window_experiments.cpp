// MainWindow's handling of where experiments come from and lead to: new ones, recent files, the
// learning-rate range test, forks of runs.
#include <QAction>
#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QSettings>
#include <algorithm>
#include <chrono>

#include "app/configure/command_consent.h"
#include "app/configure/configure_page.h"
#include "app/configure/new_experiment_dialog.h"
#include "app/configure/range_test_dialog.h"
#include "app/frame/desktop_notice.h"
#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/frame/recent_files.h"
#include "app/metrics/range_test_result.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/list/run_endings.h"
#include "app/runs/panel/fork_dialog.h"
#include "app/runs/panel/runs_panel.h"
#include "app/text/distinct_names.h"
#include "engine/config/load.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/jobs/jobs.h"
#include "widgets/literal_text.h"
#include "widgets/named_action.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kStartPatience{3};

std::vector<std::string> textsOf(const QStringList& list) {
  std::vector<std::string> texts;
  for (const QString& text : list) texts.push_back(text.toStdString());
  return texts;
}

/// What is wrong with overrides for a fork of a run from a step; empty: nothing. The engine checks
/// the rest when it starts.
QString forkFault(const run_folder::Layout& run, qint64 step, const QStringList& changes) {
  const auto loaded = config::loadExperiment(run.config(), textsOf(changes));
  for (const config::ConfigIssue& issue : loaded.issues)
    if (issue.file == config::kOverrideFile &&
        issue.severity == config::ConfigIssue::Severity::Error)
      return QStringLiteral("%1: %2").arg(QString::fromStdString(issue.key),
                                          QString::fromStdString(issue.text));
  const config::Duration& most = loaded.experiment.solver.maxSteps;
  if (most.unit == config::Duration::Unit::Steps && most.steps() <= step)
    return MainWindow::tr(
               "solver.max_steps is %1, which this checkpoint has reached: set a higher "
               "one, or choose an earlier checkpoint")
        .arg(most.steps());
  return {};
}

}  // namespace

QMenu* MainWindow::buildRecentMenu(QWidget* parent) {
  recent_ = new RecentFiles(this);
  auto* menu = new QMenu(tr("Open recent"), parent);
  menu->setToolTipsVisible(true);
  for (qsizetype i = 0; i < RecentFiles::kMost; ++i) {
    const QByteArray id = "experiment.recent_" + QByteArray::number(i + 1);
    QAction* action =
        addEverywhere(id.constData(), tr("Open recent experiment %1").arg(i + 1), "", [this, i] {
          showPage(Page::Configure);
          configurePage()->open(recent_->files().value(i));
        });
    documentActions_.recent.append(action);
    menu->addAction(action);
  }
  menu->addSeparator();
  QAction* clear = menu->addAction(tr("Clear the list"), recent_, &RecentFiles::clear);
  connect(recent_, &RecentFiles::changed, this, [this, menu, clear] {
    showRecent();
    clear->setEnabled(!recent_->files().isEmpty());
    menu->setEnabled(!recent_->files().isEmpty());
  });
  recent_->restore(options_.keepLayout
                       ? QSettings().value(QStringLiteral("recentExperiments")).toStringList()
                       : QStringList());
  return menu;
}

void MainWindow::showRecent() {
  const QStringList names = distinctNames(recent_->files());
  for (qsizetype i = 0; i < documentActions_.recent.size(); ++i) {
    QAction* action = documentActions_.recent[i];
    const bool isUsed = i < names.size();
    action->setVisible(isUsed);
    if (!isUsed) continue;
    action->setText(widgets::literalText(names[i]));
    action->setProperty(widgets::kListedText, tr("Open recent: %1").arg(names[i]));
    action->setToolTip(recent_->files()[i]);
  }
  if (ConfigurePage* page = pages_->existingConfigurePage())
    page->setLastFile(recent_->files().value(0));
  if (options_.keepLayout)
    QSettings().setValue(QStringLiteral("recentExperiments"), recent_->files());
}

void MainWindow::noteOpened(const QString& path) {
  if (recent_->files().value(0) == path) return;
  recent_->add(path);
  if (options_.keepLayout) QSettings().setValue(QStringLiteral("lastExperiment"), path);
}

/// The last experiment of an earlier session, in the background, if it is still there.
void MainWindow::reopenLast() {
  const QString last = QSettings().value(QStringLiteral("lastExperiment")).toString();
  if (!options_.keepLayout || last.isEmpty()) return;
  jobs::start(
      this, jobs::Kind::Disk, [last] { return QFileInfo(last).isFile(); },
      [this, last](bool isThere) {
        if (isThere && !configurePage()->hasDocument()) configurePage()->open(last);
      });
}

void MainWindow::addExperimentActions(QMenu* menu) {
  documentActions_.next =
      addEverywhere("experiment.next", tr("Next open experiment"), "Ctrl+PgDown", [this] {
        showPage(Page::Configure);
        configurePage()->showNext();
      });
  documentActions_.close =
      addEverywhere("experiment.close", tr("Close experiment"), "Ctrl+W", [this] {
        if (page() != Page::Configure) return showPage(Page::Configure);
        configurePage()->closeShown();
      });
  addEverywhere("experiment.from_template", tr("New experiment from a template"), "",
                [this] { newExperiment(ExperimentOrigin::Template); });
  addEverywhere("experiment.from_run", tr("New experiment from a run"), "",
                [this] { newExperiment(ExperimentOrigin::Run); });
  addEverywhere("experiment.from_scenes", tr("Try it with synthetic data"), "",
                [this] { newExperiment(ExperimentOrigin::Scenes); });
  documentActions_.check =
      addEverywhere("experiment.check", tr("Check data and weights"), "", [this] {
        showPage(Page::Configure);
        configurePage()->checkData();
      });
  menu->addActions({documentActions_.next, documentActions_.close, documentActions_.check});
}

void MainWindow::connectExperiments() {
  connect(engine_, &EngineProcess::started, this, [this](const QString& folder) {
    if (const QString file = std::exchange(rangeTested_, {}); !file.isEmpty())
      rangeTests_.insert(folder, file);
  });
  connect(engine_, &EngineProcess::failed, this, [this] { rangeTested_.clear(); });
  auto* endings = new RunEndings(runList_, this);
  connect(endings, &RunEndings::ended, this,
          [this](const QString& folder, const QString& title, const QString& text) {
            notice_->show(title, text, folder);
          });
  connect(notice_, &DesktopNotice::chosen, this, [this](const QString& folder) {
    runs_->selectRun(folder);
    showPage(Page::Monitor);
  });
  connect(monitorPage(), &MonitorPage::experimentRequested, this,
          [this] { newExperiment(ExperimentOrigin::Data); });
  connect(monitorPage(), &MonitorPage::scenesRequested, this,
          [this] { newExperiment(ExperimentOrigin::Scenes); });
}

/// Off for screenshots, and kept with the layout.
QAction* MainWindow::addNoticeAction() {
  notice_ = new DesktopNotice(this);
  QAction* action =
      addEverywhere("window.notify", tr("Notify me when a run finishes or fails"), "", [] {});
  const QString key = QStringLiteral("notifiesOfEndings");
  action->setCheckable(true);
  action->setChecked(options_.keepLayout && QSettings().value(key, true).toBool());
  notice_->setEnabled(action->isChecked());
  connect(action, &QAction::toggled, this, [this, key](bool isOn) {
    notice_->setEnabled(isOn);
    if (options_.keepLayout) QSettings().setValue(key, isOn);
  });
  return action;
}

/// Those on this machine whose experiment can be read.
QList<RunChoice> MainWindow::ownRuns() const {
  QList<RunChoice> runs;
  for (int row = 0; row < runList_->rowCount(); ++row) {
    const QModelIndex run = runList_->index(row);
    const bool isOurs = run.data(RunListModel::HostRole).toString().isEmpty() &&
                        run.data(RunListModel::ProgramRole).toString().isEmpty();
    if (isOurs)
      runs.append({run.data(RunListModel::FolderRole).toString(), runList_->listedName(row),
                   tr("%1 · started %2")
                       .arg(run.data(RunListModel::StateTextRole).toString(),
                            QLocale().toString(QDateTime::fromSecsSinceEpoch(static_cast<qint64>(
                                                   run.data(RunListModel::CreatedRole).toDouble())),
                                               QLocale::ShortFormat))});
  }
  return runs;
}

void MainWindow::newExperiment(ExperimentOrigin origin) {
  auto* dialog = findChild<NewExperimentDialog*>();
  if (!dialog) {
    dialog = new NewExperimentDialog(this);
    jobs::start(
        dialog, jobs::Kind::Disk, [] { return templatesIn(templatesFolder()); },
        [dialog](const QList<ExperimentTemplate>& found) { dialog->setTemplates(found); });
    dialog->setRuns(ownRuns());
    dialog->setBlocked(workerMissingText());
    connect(dialog, &NewExperimentDialog::experimentReady, this, &MainWindow::openPrepared);
    connect(dialog, &NewExperimentDialog::runChosen, this, &MainWindow::openCopyOfRun);
    connect(dialog, &NewExperimentDialog::textReady, this,
            [this](const QString& text, const QString& path) {
              showPage(Page::Configure);
              configurePage()->openText(text, path);
            });
  }
  if (!dialog->isBusy()) dialog->choose(origin);
  dialog->show();
  dialog->raise();
  dialog->activateWindow();
}

void MainWindow::openPrepared(const QString& file, ExperimentOrigin origin) {
  showPage(Page::Configure);
  if (!configurePage()->open(file) || origin != ExperimentOrigin::Scenes) return;
  pages_->showNotice(
      tr("The synthetic data are ready for training"),
      tr("This is the whole experiment, as a form and as text. Train starts it; Monitor then shows "
         "training loss and validation loss side by side, and Predictions what the model sees."),
      tr("Train"), [this] { train(); });
}

void MainWindow::findLearningRate() {
  if (engine_->isStarting()) return;
  const QString file = fileToTrain();
  if (file.isEmpty()) return;
  startedFile_ = configurePage()->document()->path();
  setStarting(true);
  rangeTested_ = file;
  engine_->startRangeTest(file, runList_->parentFolder());
}

bool MainWindow::isRangeTest(const RunController& run) const {
  return run.info().isRangeTest && run.info().state == protocol::RunState::Finished;
}

/// Once a range test that was started here has ended.
void MainWindow::offerLearningRate(RunController* run) {
  if (!isRangeTest(*run) || !rangeTests_.contains(run->folder()) || !run->isLoaded()) return;
  const QString file = rangeTests_.take(run->folder());
  const auto found = config::suggestLearningRates(rangeTestSteps(run->history().metrics()));
  const QString name = QFileInfo(file).fileName();
  if (!found)
    return pages_->showWarning(tr("The range test of %1 found no learning rate").arg(name),
                               tr("The loss diverged too early."));
  pages_->showNotice(
      tr("A learning rate for %1: %2").arg(name, learningRateText(found->baseLr)),
      tr("Found by a range test. See its curve, and set solver.base_lr with one click."),
      tr("Show"), [this, folder = run->folder(), file] { showRangeTest(folder, file); });
  runActions_.rangeTest->setEnabled(true);
}

/// `file`: the experiment that gets the learning rate; empty: the one that is open.
void MainWindow::showRangeTest(const QString& folder, const QString& file) {
  const RunController* run = openRuns_->find(folder);
  if (!run) return;
  const ConfigurePage* page = pages_->existingConfigurePage();
  const QString open = page && page->hasDocument() ? page->documentName() : QString();
  auto* dialog =
      new RangeTestDialog(runList_->nameOf(folder), rangeTestSteps(run->history().metrics()),
                          file.isEmpty() ? open : QFileInfo(file).fileName(), this);
  connect(dialog, &RangeTestDialog::learningRateChosen, this, [this, file](double learningRate) {
    showPage(Page::Configure);
    if (!file.isEmpty() && !configurePage()->open(file)) return;
    configurePage()->editor()->setValue(QStringLiteral("solver.base_lr"),
                                        learningRateText(learningRate));
  });
  dialog->open();  // the experiment it names stays the one that is open
}

void MainWindow::startWithConsent(const QString& folder, const QStringList& overrides,
                                  const std::function<void()>& start) {
  if (engine_->isStarting()) return;
  jobs::start(
      this, jobs::Kind::Disk,
      [file = run_folder::Layout(folder.toStdString()).config(), values = textsOf(overrides)] {
        return config::loadExperiment(file, values).experiment.monitor.onEvent;
      },
      [this, folder, start](const config::EventCommands& commands) {
        if (engine_->isStarting() || !consent_->mayRun(commands, runList_->nameOf(folder))) return;
        if (engine_->isStarting()) return;  // another run began during the question
        startedFile_.clear();
        setStarting(true);
        start();
      })
      .whenLaterThan(kStartPatience, [this, folder] {
        pages_->showWarning(tr("The disk of this run does not answer"), folder);
      });
}

void MainWindow::forkRun(const QString& folder) {
  askForFork(folder, [](ForkDialog&) {});
}

void MainWindow::forkRunWith(const QString& folder, const QString& change, qint64 step) {
  askForFork(folder, [=](ForkDialog& dialog) { dialog.propose(change, step); });
}

void MainWindow::askForFork(const QString& folder,
                            const std::function<void(ForkDialog&)>& prepare) {
  if (folder.isEmpty() || engine_->isStarting()) return;
  const run_folder::Layout run(folder.toStdString());
  jobs::start(
      this, jobs::Kind::Disk, [run] { return run_folder::checkpointSteps(run); },
      [this, folder, prepare](const std::vector<std::int64_t>& steps) {
        if (steps.empty())
          return pages_->showWarning(tr("This run has no checkpoint to fork from"), folder,
                                     tr("Open a copy of its experiment"),
                                     [this, folder] { openCopyOfRun(folder); });
        prepare(*openForkDialog(folder, steps));
      })
      .whenLaterThan(kStartPatience, [this, folder] {
        pages_->showWarning(tr("The disk of this run does not answer"), folder);
      });
}

ForkDialog* MainWindow::openForkDialog(const QString& folder,
                                       const std::vector<std::int64_t>& steps) {
  const run_folder::Layout run(folder.toStdString());
  const int row = runList_->rowOf(folder);
  const auto best = row < 0 ? std::nullopt : runList_->summary(row).info.best;
  QList<ForkDialog::Checkpoint> checkpoints;
  for (const std::int64_t step : steps) checkpoints.append({step, best && best->step == step});
  auto* dialog = new ForkDialog(
      runList_->nameOf(folder), checkpoints,
      [run](qint64 step, const QStringList& changes) { return forkFault(run, step, changes); },
      this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, folder, dialog] {
    startWithConsent(folder, dialog->overrides(),
                     [this, folder, step = dialog->step(), overrides = dialog->overrides()] {
                       engine_->forkRun(folder, step, overrides);
                     });
  });
  dialog->open();
  return dialog;
}

}  // namespace lockstep::app
