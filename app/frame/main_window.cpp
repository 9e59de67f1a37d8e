#include "app/frame/main_window.h"

#include <QCloseEvent>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>
#include <utility>

#include "app/compare/compare_page.h"
#include "app/configure/command_consent.h"
#include "app/configure/configure_page.h"
#include "app/data/data_page.h"
#include "app/docks/dock.h"
#include "app/frame/busy_devices.h"
#include "app/frame/inspector.h"
#include "app/frame/keys_dialog.h"
#include "app/frame/page_area.h"
#include "app/frame/status_strip.h"
#include "app/frame/top_bar.h"
#include "app/frame/tour.h"
#include "app/frame/window_shortcut_filter.h"
#include "app/monitor/log_panel.h"
#include "app/monitor/monitor_page.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/list/notes_store.h"
#include "app/runs/list/run_trash.h"
#include "app/runs/panel/run_banner.h"
#include "app/runs/panel/runs_panel.h"
#include "engine/events/tags.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/plots/curve_card.h"

namespace lockstep::app {
namespace {

static_assert(RunStyles::kCount == widgets::kRunStyles);

constexpr qsizetype kMostShownRuns = 200;

/// It ended before its last step and has a checkpoint.
bool isResumable(const RunController& run) {
  const auto& state = run.info().state;
  return (state == protocol::RunState::Stopped || state == protocol::RunState::Failed) &&
         run.canResume() && run.resumeStep() > 0;
}

}  // namespace

MainWindow::MainWindow(widgets::ThemeSwitch* theme, const MainWindowOptions& options)
    : theme_(theme), options_(options) {
  runList_ = new RunListModel(this);
  openRuns_ = new OpenRuns(this);
  engine_ = new EngineProcess({}, this);
  consent_ = std::make_unique<CommandConsent>(this, options.keepLayout);
  devices_ = new BusyDevices(this);
  const QString notes = QString::fromStdString(run_folder::NotesByFolder::defaultFile().string());
  notes_ = new NotesStore(notes, this);
  runList_->setForeignNotesFile(notes);
  trash_ = new RunTrash(this);
  const QSettings settings;
  const int keptTheme = options.keepLayout ? settings.value(QStringLiteral("theme"), 0).toInt() : 0;
  theme_->setMode(options.themeGiven ? options.theme
                                     : static_cast<widgets::ThemeSwitch::Mode>(keptTheme));
  if (options.keepLayout) restoreChosenKeys();
  buildUi();
  connectSignals();
  addNamedActions();
  new WindowShortcutFilter(this);
  restoreLayout();
  openInitial();
  updateStatus();
  updateTrainable();
  focusPage();
  offerTour();
}

/// The tour looks at the others until it is gone.
MainWindow::~MainWindow() { delete tour_; }

void MainWindow::buildUi() {
  setWindowTitle(QStringLiteral("Lockstep"));
  setDockNestingEnabled(false);
  setDockOptions(AnimatedDocks | AllowTabbedDocks);
  // The bottom dock is below the pages, to the right of the runs.
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  topBar_ = new TopBar;
  setMenuWidget(topBar_);
  status_ = new StatusStrip;
  setStatusBar(status_);
  pages_ = new PageArea(options_.draftFolder);
  setCentralWidget(pages_);
  buildDocks();
  topBar_->setMenu(buildMenu());
}

void MainWindow::connectSignals() {
  connect(topBar_, &TopBar::trainRequested, this, &MainWindow::train);
  connect(topBar_, &TopBar::pauseRequested, this, &MainWindow::pauseRun);
  connect(topBar_, &TopBar::resumeRequested, this, &MainWindow::resumeCurrentRun);
  connect(topBar_, &TopBar::stopRequested, this, &MainWindow::stopRun);

  connect(engine_, &EngineProcess::started, this, [this](const QString& folder) {
    setStarting(false);
    runList_->addRun(folder);
    runs_->selectRun(folder);
    showPage(Page::Monitor);
  });
  connect(engine_, &EngineProcess::failed, this, [this](const QString& message, int) {
    setStarting(false);
    pages_->showFailure(
        tr("The run did not start"), message,
        engine_->canAcceptData() ? tr("Continue with these annotations") : QString(), [this] {
          setStarting(true);
          engine_->acceptData();
        });
    ConfigurePage* configure = pages_->existingConfigurePage();
    if (configure && !startedFile_.isEmpty() && configure->document()->path() == startedFile_)
      configure->showFound(message);
  });

  connect(pages_, &PageArea::pageShown, this, &MainWindow::handlePageShown);
  connect(pages_, &PageArea::readyChanged, this, &MainWindow::readyChanged);
  connect(pages_, &PageArea::configurePageCreated, this, &MainWindow::connectConfigurePage);
  connect(pages_, &PageArea::runRequested, this, [this](const QString& folder) {
    if (runs_->makeCurrent(folder)) return;
    runList_->addRun(folder);
    runs_->selectRun(folder);
  });
  connect(pages_, &PageArea::experimentRequested, this, [this](const QString& file) {
    showPage(Page::Configure);
    configurePage()->open(file);
  });
  connect(pages_->runBanner(), &RunBanner::resumeRequested, this,
          [this](const QString& folder, const QStringList& overrides) {
            resumeRun(folder, overrides);
          });
  connect(monitorPage(), &MonitorPage::smoothingChanged, openRuns_, &OpenRuns::setSmoothing);
  connect(monitorPage(), &MonitorPage::exportRequested, this, &MainWindow::exportCurves);
  connect(pages_, &PageArea::exportRequested, this, &MainWindow::exportResults);
  connect(monitorPage(), &MonitorPage::alertsRequested, this, &MainWindow::showAlerts);
  connect(log_, &LogPanel::stepChosen, monitorPage(), &MonitorPage::showStep);
  connect(log_, &LogPanel::alertChosen, this, [this](const protocol::Alert& alert) {
    showPage(Page::Monitor);
    monitorPage()->showAlert(alert);
  });
  connectRuns();
  connectQueue();
  connectNotes();
  connectExperiments();
}

void MainWindow::connectRuns() {
  connect(runs_, &RunsPanel::selectionChanged, this, &MainWindow::showSelection);
  connectLayoutTimer();
  connect(runs_, &RunsPanel::currentHiddenChanged, this, &MainWindow::updateStatus);
  connect(runs_, &RunsPanel::resumeRequested, this,
          [this](const QString& folder) { resumeRun(folder, {}); });
  connect(runs_, &RunsPanel::queueRequested, this,
          [this](const QString& folder) { resumeRun(folder, {}, EngineProcess::When::Queued); });
  connect(runs_, &RunsPanel::copyConfigRequested, this, &MainWindow::openCopyOfRun);
  connect(runs_, &RunsPanel::emptyActionTriggered, this, &MainWindow::openWithDialog);
  connect(runs_, &RunsPanel::arranged, this, &MainWindow::showOtherGroups);
  connect(monitorPage(), &MonitorPage::forkRequested, this, &MainWindow::forkRunWith);
  connect(monitorPage(), &MonitorPage::copyRequested, this, &MainWindow::openCopyWith);
  connect(runs_, &RunsPanel::forkRequested, this, &MainWindow::forkRun);
  connect(runs_, &RunsPanel::packRequested, this, &MainWindow::packRun);
  connect(runs_, &RunsPanel::comparisonRequested, this, [this] {
    showPage(Page::Compare);
    comparePage()->compareShown();
  });
  connect(runs_, &RunsPanel::evaluationRequested, this, [this](const QString& folder) {
    askEngine(folder, protocol::Command{"1", protocol::CommandName::Evaluate},
              tr("The run was not evaluated"));
  });
  connect(runList_, &RunListModel::runChanged, this, [this](const QString& folder) {
    RunController* run = openRuns_->find(folder);
    if (!run) return;
    run->refresh();
    if (run == currentRun()) updateStatus();
    showNames();
  });
  connect(runList_, &RunListModel::loaded, this, &MainWindow::readyChanged);
  connect(runList_, &RunListModel::stylesChanged, this, [this] {
    if (options_.keepLayout)
      QSettings().setValue(QStringLiteral("runStyles"), runList_->keptStyles());
  });
  connect(openRuns_, &OpenRuns::runOpened, this, &MainWindow::connectRun);
  const auto tellWhetherListed = [this] {
    monitorPage()->setHasListedRuns(runList_->rowCount() > 0);
  };
  connect(runList_, &QAbstractItemModel::rowsInserted, this, tellWhetherListed);
  connect(runList_, &QAbstractItemModel::rowsRemoved, this, tellWhetherListed);
  connect(runList_, &QAbstractItemModel::modelReset, this, tellWhetherListed);
}

void MainWindow::connectRun(RunController* run) {
  auto update = [this, run] {
    const run_folder::RunInfo& info = run->info();
    if (run->isKnown()) runList_->setLive(run->folder(), info.state, info.step, info.best);
    if (run == currentRun()) updateStatus();
  };
  connect(run, &RunController::linkChanged, this, update);
  connect(run, &RunController::loaded, this, [this, run] { offerLearningRate(run); });
  connect(run, &RunController::loaded, this, update);
  connect(run, &RunController::changed, this, [this, run, update](const RunChanges& changes) {
    update();
    if (changes.state) offerLearningRate(run);
    if (run == currentRun() && (changes.log || changes.alerts)) showLog();
  });
  connect(run, &RunController::accessErrorChanged, this,
          [this] { pages_->runBanner()->showRuns(shownRuns_); });
  connect(run, &RunController::failed, this, [this, run](const QString& title, const QString& why) {
    if (runs_->selectedRuns().contains(run->folder())) pages_->showFailure(title, why);
  });
}

ConfigurePage* MainWindow::configurePage() { return pages_->configurePage(); }
MonitorPage* MainWindow::monitorPage() const { return pages_->monitorPage(); }
PredictionsPage* MainWindow::predictionsPage() { return pages_->predictionsPage(); }
DataPage* MainWindow::dataPage() { return pages_->dataPage(); }
ComparePage* MainWindow::comparePage() { return pages_->comparePage(); }

void MainWindow::showPage(Page page) { pages_->showPage(page); }
Page MainWindow::page() const { return pages_->page(); }

void MainWindow::handlePageShown(Page page) {
  for (QAction* action : monitorActions_) action->setEnabled(page == Page::Monitor);
  restoreSplitters();
  updateTitle();
  focusPage();
  Q_EMIT readyChanged();
}

/// Gives the page's keyboard shortcuts the focus that they need. On Monitor the shortcuts belong to
/// the window, and the run list takes the arrow keys. Configure keeps what had it there.
void MainWindow::focusPage() {
  if (page() == Page::Configure) configurePage()->takeFocus();
  if (page() == Page::Monitor) runs_->focusList();
  if (page() == Page::Predictions) predictionsPage()->view()->setFocus(Qt::OtherFocusReason);
  if (page() == Page::Data) dataPage()->setFocus(Qt::OtherFocusReason);
  if (page() == Page::Compare) comparePage()->setFocus(Qt::OtherFocusReason);
}

/// A button that is disabled or hidden, mostly because it was pressed, does not pass the focus on
/// to the next button, which does something else.
bool MainWindow::focusNextPrevChild(bool next) {
  QWidget* left = focusWidget();
  if (!left || (left->isEnabled() && left->isVisible()))
    return QMainWindow::focusNextPrevChild(next);
  left->clearFocus();
  focusPage();
  return true;
}

/// Other machines are asked only while somebody can see the answer.
bool MainWindow::event(QEvent* event) {
  const bool isOfVisibility = event->type() == QEvent::Show || event->type() == QEvent::Hide ||
                              event->type() == QEvent::WindowStateChange;
  if (isOfVisibility)
    for (RemoteRuns* runs : remoteRuns_) runs->setWatched(isVisible() && !isMinimized());
  if (event->type() == QEvent::Resize) fitLog();
  if (event->type() == QEvent::Resize || event->type() == QEvent::Move) keepLayoutSoon();
  return QMainWindow::event(event);
}

RunController* MainWindow::currentRun() const { return openRuns_->find(runs_->currentRun()); }

void MainWindow::showOtherGroups() {
  const bool areSame = std::ranges::all_of(shownRuns_, [this](const ShownRun& shown) {
    return !shown.run || shown.group == runs_->groupOf(shown.run->folder());
  });
  if (!areSame) showSelection();
}

/// As many as can be told apart, and held: Ctrl+A selects thousands.
QStringList MainWindow::runsToShow() {
  const QStringList selected = runs_->selectedRuns();
  const QString title = tr("Not all selected runs are shown");
  if (selected.size() <= kMostShownRuns) {
    pages_->hideMessage(title);
    return selected;
  }
  pages_->showWarning(title, tr("The first %1 of %2: filter the list, or select fewer. The "
                                "menu of the list applies to all of them.")
                                 .arg(kMostShownRuns)
                                 .arg(selected.size()));
  return selected.first(kMostShownRuns);
}

void MainWindow::showSelection() {
  const QStringList folders = runsToShow();
  runList_->makeDistinct(folders);
  const QStringList names = runList_->namesOf(folders);
  shownRuns_.clear();
  for (qsizetype i = 0; i < folders.size(); ++i)
    shownRuns_.push_back({openRuns_->open(folders[i]), names[i], runList_->styleIndexOf(folders[i]),
                          runs_->groupOf(folders[i]), runs_->placeInSelection(folders[i])});
  openRuns_->setShown(folders);
  pages_->showRuns(shownRuns_);
  inspector_->setRuns(shownRuns_);
  showLog();
  updateStatus();
  Q_EMIT readyChanged();
}

/// After one was renamed.
void MainWindow::showNames() {
  QStringList folders, before;
  for (const ShownRun& shown : shownRuns_) {
    if (!shown.run) return;  // others are about to be shown
    folders << shown.run->folder();
    before << shown.name;
  }
  if (runList_->namesOf(folders) != before) showSelection();
}

void MainWindow::showAlerts() {
  bringUpLog();
  log_->showAlerts();
}

void MainWindow::showLog() {
  const RunController* run = currentRun();
  log_->setLog(run ? run->history().log() : std::vector<LogEntry>());
  log_->setAlerts(run ? run->history().alerts() : std::vector<protocol::Alert>(),
                  run ? run->checkpointSteps() : std::vector<std::int64_t>());
  fitLog();
}

/// That of the list until the run has been read; nothing: neither knows it yet.
base::OpenEnum<protocol::RunState> MainWindow::stateOf(const RunController& run) const {
  const int row = runList_->rowOf(run.folder());
  const QModelIndex listed = runList_->index(row);
  if (listed.data(RunListModel::VanishedRole).toBool())
    return base::OpenEnum<protocol::RunState>(
        listed.data(RunListModel::StateTextRole).toString().toStdString());
  if (run.isKnown() || run.place()) return run.info().state;
  return row < 0 ? base::OpenEnum<protocol::RunState>() : runList_->summary(row).info.state;
}

void MainWindow::updateStatus() {
  const RunController* run = currentRun();
  TopBarStatus status;
  if (run) {
    const run_folder::RunInfo& info = run->info();
    const MetricStore& metrics = run->history().metrics();
    status.name = runList_->nameOf(run->folder());
    status.tip = runList_->index(runList_->rowOf(run->folder())).data(Qt::ToolTipRole).toString();
    status.state = stateOf(*run);
    status.step = info.step;
    status.maxSteps = info.maxSteps;
    status.secondsLeft = run->secondsLeft();
    status.imagesPerSecond = metrics.lastValue(events::tags::kImagesPerSecond);
    const EvaluationPlan& plan = run->evaluationPlan();
    const char* apTag = plan.hasMasks ? events::tags::kMaskAp : events::tags::kBoxAp;
    status.averagePrecision = metrics.lastValue(apTag);
    status.averagePrecisionName = plan.hasMasks ? tr("mask AP") : tr("box AP");
    status.heldOutLoss = metrics.lastValue(events::tags::kEvalTotalLoss);
    if (const auto step = metrics.lastStep(apTag))
      status.averagePrecisionScope = apScopeText(plan, *step);
    if (const auto step = metrics.lastStep(events::tags::kEvalTotalLoss))
      status.heldOutLossScope = heldOutLossScopeText(plan, *step);
    status.isLive = run->linkState() == EngineLink::State::Connected && !run->program();
    status.canResume = isResumable(*run);
    status.isHidden = runs_->isCurrentHidden();
  }
  topBar_->setStatus(status);
  runActions_.pause->setEnabled(topBar_->canPauseOrResume());
  runActions_.pause->setText(topBar_->resumes() ? tr("Resume") : tr("Pause"));
  runActions_.stop->setEnabled(topBar_->canStop());
  runActions_.checkpoint->setEnabled(topBar_->canStop());
  runActions_.evaluate->setEnabled(topBar_->canStop());
  runActions_.duplicate->setEnabled(run);
  runActions_.fork->setEnabled(run && !run->place() && !run->program());
  runActions_.pack->setEnabled(run && !run->place() && !run->program());
  runActions_.rangeTest->setEnabled(run && isRangeTest(*run));
  status_->showRun(run);
  pages_->runBanner()->showRuns(shownRuns_);
  updateTitle();
}

void MainWindow::resumeRun(const QString& folder, const QStringList& overrides,
                           EngineProcess::When when) {
  startWithConsent(folder, overrides, [=, this] { engine_->resumeRun(folder, overrides, when); });
}

void MainWindow::setStarting(bool starting) {
  if (starting) pages_->hideMessage();  // its action may be about an earlier start
  topBar_->setStarting(starting);
  updateTrainable();
}

/// Does what the window shows: Pause does not resume a run that has ended since.
void MainWindow::togglePause() { topBar_->resumes() ? resumeCurrentRun() : pauseRun(); }

void MainWindow::pauseRun() {
  RunController* run = currentRun();
  if (run && run->linkState() == EngineLink::State::Connected) run->pause();
}

void MainWindow::resumeCurrentRun() {
  RunController* run = currentRun();
  if (!run) return;
  if (isResumable(*run)) return resumeRun(run->folder(), {});
  if (run->linkState() == EngineLink::State::Connected) run->resume();
}

void MainWindow::stopRun() {
  RunController* run = currentRun();
  if (run && run->linkState() == EngineLink::State::Connected) run->stop();
}

bool MainWindow::isListLoaded() const {
  return runList_->isLoaded() &&
         std::all_of(remoteRuns_.begin(), remoteRuns_.end(),
                     [](const RemoteRuns* runs) { return runs->hasAnswered(); });
}

bool MainWindow::isReady() const {
  return (waitingPaths_.isEmpty() || isPatienceOver_) && isListLoaded() && pages_->isReady();
}

QString MainWindow::whatIsLoading() const {
  if (!waitingPaths_.isEmpty()) return waitingPaths_.join(QStringLiteral(", "));
  if (!isListLoaded()) return tr("the list of runs");
  return tr("the page %1").arg(pages_->title());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  // Runs continue; only unsaved edits need a question.
  ConfigurePage* configure = pages_->existingConfigurePage();
  if (configure && !configure->closeDocuments()) return event->ignore();
  if (options_.keepLayout) saveLayout();
  QMainWindow::closeEvent(event);
}

}  // namespace lockstep::app
