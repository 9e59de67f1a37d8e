#include "app/frame/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QScreen>
#include <QSettings>
#include <QShortcut>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QVBoxLayout>

#include "app/configure/configure_page.h"
#include "app/configure/document_banner.h"
#include "app/frame/page_scroll.h"
#include "app/frame/status_strip.h"
#include "app/frame/top_bar.h"
#include "app/monitor/alert_banner.h"
#include "app/monitor/log_panel.h"
#include "app/monitor/monitor_page.h"
#include "app/predictions/predictions_page.h"
#include "app/runs/run_banner.h"
#include "app/runs/runs_panel.h"
#include "widgets/banner.h"
#include "widgets/image_view/predictions_view.h"

namespace lockstep::app {
namespace {

constexpr int kLayoutVersion = 1;
constexpr QSize kUsualSize(1440, 900);
static_assert(RunStyles::kCount == widgets::kRunStyles);

std::optional<double> lastValue(const RunController& run, const char* tag) {
  const MetricSeries* series = run.history().metrics().series(tag);
  if (!series || series->size() == 0) return std::nullopt;
  return series->value(series->size() - 1);
}

/// It ended before its last step, with a checkpoint to go on from.
bool canGoOn(const RunController& run) {
  const std::string& state = run.info().state;
  return (state == "stopped" || state == "failed") && run.canResume() && run.resumeStep() > 0;
}

/// Pages are made when they are first shown; until then an empty widget keeps their place.
void replacePage(QStackedWidget* pages, int index, QWidget* page) {
  QWidget* empty = pages->widget(index);
  pages->insertWidget(index, new PageScroll(page));
  pages->removeWidget(empty);
  delete empty;
}

}  // namespace

MainWindow::MainWindow(widgets::ThemeSwitch* theme, const MainWindowOptions& options)
    : theme_(theme), options_(options) {
  runList_ = new RunListModel(this);
  openRuns_ = new OpenRuns(this);
  engine_ = new EngineProcess({}, this);
  const QSettings settings;
  const int keptTheme = options.keepLayout ? settings.value(QStringLiteral("theme"), 0).toInt() : 0;
  theme_->setMode(options.themeGiven ? options.theme
                                     : static_cast<widgets::ThemeSwitch::Mode>(keptTheme));
  buildUi();
  connectSignals();
  addShortcuts();
  restoreLayout();
  openPaths();
  updateStatus();
  updateTrainable();
  focusPage();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildUi() {
  setWindowTitle(QStringLiteral("Lockstep"));
  setDockNestingEnabled(false);
  setDockOptions(AnimatedDocks | AllowTabbedDocks);
  // The bottom dock lies under the pages, beside the runs.
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  topBar_ = new TopBar;
  setMenuWidget(topBar_);
  status_ = new StatusStrip;
  setStatusBar(status_);
  setCentralWidget(buildCentre());
  buildDocks();
  topBar_->setMenu(buildMenu());
}

QWidget* MainWindow::buildCentre() {
  auto* centre = new QWidget;
  centre->setObjectName(QStringLiteral("pages"));
  tabs_ = new QTabBar;
  tabs_->setObjectName(QStringLiteral("pageTabs"));
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  for (const QString& title : {tr("Configure"), tr("Monitor"), tr("Predictions")})
    tabs_->addTab(title);
  for (int i = 0; i < tabs_->count(); ++i)
    tabs_->setTabToolTip(i, QStringLiteral("Ctrl+%1").arg(i + 1));
  tabs_->setCurrentIndex(1);
  monitor_ = new MonitorPage;
  pages_ = new QStackedWidget;
  // The pages that need an editor or a data set are made when they are first shown: the window
  // opens without waiting.
  pages_->addWidget(new QWidget);
  pages_->addWidget(monitor_);
  pages_->addWidget(new QWidget);
  pages_->setCurrentIndex(1);
  banner_ = new widgets::Banner;
  documentBanner_ = new DocumentBanner;
  runBanner_ = new RunBanner;
  runPagesHead_ = new QWidget;
  auto* runPagesColumn = new QVBoxLayout(runPagesHead_);
  runPagesColumn->setContentsMargins(0, 0, 0, 0);
  runPagesColumn->addWidget(runBanner_);

  auto* head = new QHBoxLayout;
  head->setContentsMargins(12, 4, 0, 0);
  head->addWidget(tabs_);
  head->addStretch();
  head->addWidget(monitor_->tools());
  auto* line = new QFrame;
  line->setFixedHeight(1);
  widgets::setRole(line, "divider");
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(head);
  column->addWidget(line);
  column->addWidget(banner_);
  column->addWidget(documentBanner_);
  column->addWidget(runPagesHead_);
  column->addWidget(pages_, 1);
  return centre;
}

void MainWindow::buildDocks() {
  runs_ = new RunsPanel(runList_);
  log_ = new LogPanel;
  runsDock_ = new QDockWidget(tr("Runs"));
  runsDock_->setObjectName(QStringLiteral("runsDock"));
  runsDock_->setWidget(runs_);
  logDock_ = new QDockWidget(tr("Log and alerts"));
  logDock_->setObjectName(QStringLiteral("logDock"));
  logDock_->setWidget(log_);
  // The panels have their own headings.
  for (QDockWidget* dock : {runsDock_, logDock_}) {
    dock->setTitleBarWidget(new QWidget);
    dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable);
  }
  addDockWidget(Qt::LeftDockWidgetArea, runsDock_);
  addDockWidget(Qt::BottomDockWidgetArea, logDock_);
  resizeDocks({runsDock_}, {268}, Qt::Horizontal);
  resizeDocks({logDock_}, {124}, Qt::Vertical);
}

void MainWindow::connectSignals() {
  connect(tabs_, &QTabBar::currentChanged, this,
          [this](int page) { showPage(static_cast<Page>(page)); });
  connect(topBar_, &TopBar::trainRequested, this, &MainWindow::train);
  connect(topBar_, &TopBar::pauseRequested, this, &MainWindow::togglePause);
  connect(topBar_, &TopBar::resumeRequested, this, &MainWindow::togglePause);
  connect(topBar_, &TopBar::stopRequested, this, &MainWindow::stopRun);

  connect(runs_, &RunsPanel::selectionChanged, this, &MainWindow::showSelection);
  connect(runs_, &RunsPanel::currentHiddenChanged, this, &MainWindow::updateStatus);
  connect(runs_, &RunsPanel::resumeRequested, this,
          [this](const QString& folder) { resumeRun(folder, {}); });
  connect(runBanner_, &RunBanner::resumeRequested, this, &MainWindow::resumeRun);
  connect(runs_, &RunsPanel::copyConfigRequested, this, &MainWindow::openCopyOfRun);
  connect(runs_, &RunsPanel::emptyActionTriggered, this, &MainWindow::openWithDialog);
  connect(runList_, &RunListModel::runChanged, this, [this](const QString& folder) {
    if (RunController* run = openRuns_->find(folder)) run->refresh();
  });
  connect(runList_, &RunListModel::loaded, this, &MainWindow::readyChanged);
  connect(runList_, &RunListModel::stylesChanged, this, [this] {
    if (options_.keepLayout)
      QSettings().setValue(QStringLiteral("runStyles"), runList_->keptStyles());
  });
  connect(runList_, &RunListModel::runsVanished, this, &MainWindow::tellOfVanishedRuns);
  connect(openRuns_, &OpenRuns::runOpened, this, &MainWindow::connectRun);

  connect(engine_, &EngineProcess::started, this, [this](const QString& folder) {
    setStarting(false);
    runList_->addRun(folder);
    runs_->selectRun(folder);
    showPage(Page::Monitor);
  });
  connect(engine_, &EngineProcess::failed, this, [this](const QString& message, int) {
    setStarting(false);
    showFailure(tr("The run did not start"), message);
  });

  connect(monitor_, &MonitorPage::readyChanged, this, &MainWindow::readyChanged);
  connect(monitor_, &MonitorPage::smoothingChanged, openRuns_, &OpenRuns::setSmoothing);
  connect(monitor_, &MonitorPage::emptyActionTriggered, this,
          [this] { showPage(Page::Configure); });
  connect(monitor_, &MonitorPage::alertsRequested, this, [this] {
    logDock_->show();
    log_->showAlerts();
  });
  connect(monitor_, &MonitorPage::predictionsRequested, this, &MainWindow::showPredictionsAt);
  connect(monitor_, &MonitorPage::exportFailed, this,
          [this](const QString& why) { showFailure(tr("The picture was not exported"), why); });
  connect(log_, &LogPanel::stepChosen, monitor_, &MonitorPage::showStep);
}

void MainWindow::connectRun(RunController* run) {
  auto update = [this, run] {
    runList_->setLive(run->folder(), QString::fromStdString(run->info().state), run->info().step);
    if (run == currentRun()) updateStatus();
  };
  connect(run, &RunController::infoChanged, this, update);
  connect(run, &RunController::linkChanged, this, update);
  connect(run, &RunController::historyChanged, this, [this, run] {
    if (run != currentRun()) return;
    log_->setLog(run->history().log());
    log_->setAlerts(run->history().alerts());
  });
  connect(run, &RunController::faultChanged, this, &MainWindow::showRunFaults);
  connect(run, &RunController::failed, this, [this, run](const QString& title, const QString& why) {
    if (runs_->selectedRuns().contains(run->folder())) showFailure(title, why);
  });
}

ConfigurePage* MainWindow::configurePage() {
  if (configure_) return configure_;
  configure_ = new ConfigurePage(options_.draftFolder);
  replacePage(pages_, 0, configure_);
  connectConfigurePage();
  return configure_;
}

PredictionsPage* MainWindow::predictionsPage() {
  if (predictions_) return predictions_;
  predictions_ = new PredictionsPage;
  replacePage(pages_, 2, predictions_);
  connect(predictions_, &PredictionsPage::readyChanged, this, &MainWindow::readyChanged);
  connect(predictions_, &PredictionsPage::configureRequested, this,
          [this] { showPage(Page::Configure); });
  predictions_->setRun(currentRun());
  return predictions_;
}

void MainWindow::showPredictionsAt(qint64 step) {
  predictionsPage()->showStep(step);
  showPage(Page::Predictions);
}

void MainWindow::showPage(Page page) {
  if (page == Page::Configure) configurePage();
  if (page == Page::Predictions) predictionsPage();
  const QSignalBlocker blocker(tabs_);
  tabs_->setCurrentIndex(static_cast<int>(page));
  pages_->setCurrentIndex(static_cast<int>(page));
  runPagesHead_->setVisible(page != Page::Configure);
  monitor_->tools()->setVisible(page == Page::Monitor && currentRun());
  for (QShortcut* shortcut : monitorShortcuts_) shortcut->setEnabled(page == Page::Monitor);
  documentBanner_->setOnItsPage(page == Page::Configure);
  updateTitle();
  focusPage();
  Q_EMIT readyChanged();
}

/// The keys that the page tells of work at once; on Monitor they are the window's, and the list has
/// the arrows.
void MainWindow::focusPage() {
  if (page() == Page::Monitor) runs_->focusList();
  if (page() == Page::Predictions) predictions_->view()->setFocus(Qt::OtherFocusReason);
}

MainWindow::Page MainWindow::page() const { return static_cast<Page>(tabs_->currentIndex()); }

void MainWindow::openPaths() {
  QString parent = QDir::cleanPath(
      QFileInfo(QString::fromStdString(run_folder::runsFolder().string())).absoluteFilePath());
  QStringList runs, configs;
  for (const QString& path : options_.paths) {
    if (QFileInfo(path).isFile()) {
      configs.append(path);
    } else if (run_folder::isRunFolder(path.toStdString())) {
      runs.append(path);
    } else {
      parent = path;
    }
  }
  runList_->setParentFolder(parent);
  status_->setRunsFolder(parent);
  if (!configs.isEmpty()) configurePage()->open(configs.last());
  if (!runs.isEmpty()) runs_->selectRun(runs.first());
  for (const QString& run : runs) {
    runList_->addRun(run);
    if (run != runs.first()) runs_->addToSelection(run);
  }
  Page page = configs.isEmpty() || !runs.isEmpty() ? Page::Monitor : Page::Configure;
  if (options_.page == QLatin1String("configure")) page = Page::Configure;
  if (options_.page == QLatin1String("monitor")) page = Page::Monitor;
  if (options_.page == QLatin1String("predictions")) page = Page::Predictions;
  if (page == Page::Configure && configs.isEmpty() && !runs.isEmpty())
    configurePage()->openCopyOfRun(runs.first());
  showPage(page);
  if (configs.size() > 1)
    showFailure(
        tr("One experiment is edited at a time"),
        tr("%1 is open. Not opened: %2")
            .arg(configs.last(), configs.mid(0, configs.size() - 1).join(QStringLiteral(", "))));
  bringBackDrafts(/*isFree=*/options_.paths.isEmpty() && options_.page.isEmpty());
}

void MainWindow::openWithDialog() {
  showPage(Page::Configure);
  configure_->openWithDialog();
}

RunController* MainWindow::currentRun() const { return openRuns_->find(runs_->currentRun()); }

void MainWindow::showSelection() {
  const QStringList folders = runs_->selectedRuns();
  runList_->keepApart(folders);
  const QStringList names = runList_->namesOf(folders);
  shownRuns_.clear();
  for (qsizetype i = 0; i < folders.size(); ++i)
    shownRuns_.push_back(
        {openRuns_->open(folders[i]), names[i], runList_->styleIndexOf(folders[i])});
  openRuns_->setShown(folders);
  monitor_->setHasListedRuns(runList_->rowCount() > 0);
  monitor_->setRuns(shownRuns_);
  monitor_->tools()->setVisible(page() == Page::Monitor && !folders.isEmpty());
  RunController* run = currentRun();
  if (predictions_) predictions_->setRun(run);
  log_->setLog(run ? run->history().log() : std::vector<LogEntry>());
  log_->setAlerts(run ? run->history().alerts() : std::vector<protocol::Alert>());
  updateStatus();
  Q_EMIT readyChanged();
}

void MainWindow::updateStatus() {
  const RunController* run = currentRun();
  RunStatus status;
  if (run) {
    const run_folder::RunInfo& info = run->info();
    status.name = QString::fromStdString(info.name);
    status.state = QString::fromStdString(info.state);
    status.step = info.step;
    status.maxSteps = info.maxSteps;
    status.secondsLeft = run->secondsLeft();
    status.imagesPerSecond = lastValue(*run, "time/images_per_second");
    status.averagePrecision = lastValue(*run, "eval/segm/AP");
    status.averagePrecisionName = tr("last AP");
    status.heldOutLoss = lastValue(*run, "eval/loss_total");
    status.isLive = run->linkState() == EngineLink::State::Connected;
    status.canResume = canGoOn(*run);
    status.isHidden = runs_->isCurrentHidden();
  }
  topBar_->setStatus(status);
  runActions_.pause->setEnabled(topBar_->canPauseOrResume());
  runActions_.stop->setEnabled(topBar_->canStop());
  runActions_.checkpoint->setEnabled(topBar_->canStop());
  status_->showRun(run);
  showRunFaults();
  updateTitle();
}

void MainWindow::showRunFaults() { runBanner_->showRuns(shownRuns_); }

void MainWindow::tellOfVanishedRuns(const QStringList& folders) {
  QStringList names;
  for (const QString& folder : folders) names.append(QFileInfo(folder).fileName());
  banner_->showMessage(
      widgets::Banner::Kind::Warning,
      folders.size() == 1
          ? tr("A run left the list: its folder was removed or renamed")
          : tr("%1 runs left the list: their folders were removed or renamed").arg(folders.size()),
      folders.size() == 1 ? folders.front() : names.join(QStringLiteral(", ")));
}

void MainWindow::resumeRun(const QString& folder, const QStringList& overrides) {
  if (engine_->isStarting()) return;
  setStarting(true);
  engine_->resumeRun(folder, overrides);
}

void MainWindow::showFailure(const QString& title, const QString& detail) {
  banner_->showMessage(widgets::Banner::Kind::Error, title, detail);
}

void MainWindow::setStarting(bool starting) {
  topBar_->setStarting(starting);
  updateTrainable();
}

void MainWindow::togglePause() {
  RunController* run = currentRun();
  if (run && canGoOn(*run)) return resumeRun(run->folder(), {});
  if (!run || run->linkState() != EngineLink::State::Connected) return;
  if (run->info().state == "paused") {
    run->resume();
  } else {
    run->pause();
  }
}

void MainWindow::stopRun() {
  RunController* run = currentRun();
  if (run && run->linkState() == EngineLink::State::Connected) run->stop();
}

bool MainWindow::isReady() const {
  if (!runList_->isLoaded()) return false;
  switch (page()) {
    case Page::Configure:
      return configure_->isReady();
    case Page::Monitor:
      return monitor_->isReady();
    case Page::Predictions:
      return predictions_->isReady();
  }
  return true;
}

QString MainWindow::whatIsLoading() const {
  if (!runList_->isLoaded()) return tr("the list of runs");
  return tr("the page %1").arg(tabs_->tabText(tabs_->currentIndex()));
}

void MainWindow::restoreLayout() {
  const QSettings settings;
  // A picture has the usual size wherever it is made.
  resize(options_.keepLayout ? kUsualSize.boundedTo(screen()->availableSize()) : kUsualSize);
  if (options_.keepLayout) {
    restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    restoreState(settings.value(QStringLiteral("docks")).toByteArray(), kLayoutVersion);
    monitor_->setSmoothing(settings.value(QStringLiteral("smoothing"), 0.6).toDouble());
    keepDismissals(monitor_->alertBanner()->dismissals(), QStringLiteral("dismissedAlerts"));
    keepDismissals(runBanner_->dismissals(), QStringLiteral("dismissedFailures"));
  }
  // Pictures have the colours that the window has.
  runList_->restoreStyles(settings.value(QStringLiteral("runStyles")).toStringList());
  if (!options_.size.isEmpty()) resize(options_.size);
}

/// At once, as it is done: a window that ends without being closed has them too.
void MainWindow::keepDismissals(Dismissals* dismissals, const QString& key) {
  dismissals->restore(QSettings().value(key).toStringList());
  connect(dismissals, &Dismissals::changed, this,
          [dismissals, key] { QSettings().setValue(key, dismissals->kept()); });
}

void MainWindow::saveLayout() const {
  QSettings settings;
  settings.setValue(QStringLiteral("geometry"), saveGeometry());
  settings.setValue(QStringLiteral("docks"), saveState(kLayoutVersion));
  settings.setValue(QStringLiteral("smoothing"), monitor_->smoothing());
}

void MainWindow::resetLayout() {
  for (QDockWidget* dock : {runsDock_, logDock_}) dock->show();
  addDockWidget(Qt::LeftDockWidgetArea, runsDock_);
  addDockWidget(Qt::BottomDockWidgetArea, logDock_);
  resizeDocks({runsDock_}, {268}, Qt::Horizontal);
  resizeDocks({logDock_}, {124}, Qt::Vertical);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  // Runs go on: closing ends nothing. It asks about unsaved edits only.
  if (configure_ && !configure_->leave()) return event->ignore();
  if (options_.keepLayout) saveLayout();
  QMainWindow::closeEvent(event);
}

}  // namespace lockstep::app
