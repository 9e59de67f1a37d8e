// MainWindow's docks and saved layout.
#include <QGuiApplication>
#include <QScreen>
#include <QSettings>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>
#include <algorithm>

#include "app/docks/dock.h"
#include "app/docks/fact_panel.h"
#include "app/docks/kept_width.h"
#include "app/frame/device_watch.h"
#include "app/frame/inspector.h"
#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/monitor/alert_banner.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/log_panel.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/open/dismissals.h"
#include "app/runs/panel/run_banner.h"
#include "app/runs/panel/runs_panel.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kLayoutVersion = 2;
const QString kRunsWidthKey = QStringLiteral("runsWidth"),
              kLogFoldedKey = QStringLiteral("logFolded"),
              kLogHeightKey = QStringLiteral("logHeight");
constexpr QSize kDefaultSize(1440, 900);
constexpr int kRunsPx = 268;
/// The most that it has of a window's width unless a person wants more.
constexpr double kRunsFraction = 0.3;
/// Of a window in which the pages need the log's room.
constexpr int kLowPx = 800;
/// Of the window's height.
constexpr double kLogFraction = 0.13;
/// Of the top of a window, so that it can be seen and moved.
constexpr int kSeenPx = 300, kSeenHeightPx = 60;

/// Whether it is no larger than the screens, and enough of its top is on one of them.
bool isAtHand(const QRect& window) {
  const QSize seen(std::min(widgets::scaledPx(kSeenPx), window.width()),
                   std::min(widgets::scaledPx(kSeenHeightPx), window.height()));
  const QRect top(window.topLeft(), QSize(window.width(), seen.height()));
  QRect desktop;
  bool isSeen = false;
  for (const QScreen* screen : QGuiApplication::screens()) {
    const QRect part = screen->availableGeometry().intersected(top);
    isSeen = isSeen || (part.width() >= seen.width() && part.height() == seen.height());
    desktop |= screen->availableGeometry();
  }
  return isSeen && window.width() <= desktop.width() && window.height() <= desktop.height();
}

}  // namespace

void MainWindow::buildDocks() {
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  runs_ = new RunsPanel(runList_);
  runsDock_ = new Dock("runsDock", tr("Runs"), runs_);
  runsDock_->addTool(runs_->viewButton());
  log_ = new LogPanel;
  logDock_ = new Dock("logDock", tr("Log and alerts"), log_);
  logDock_->setHead(log_->head());
  connect(log_, &LogPanel::foldRequested, this, &MainWindow::foldLog);
  connect(logDock_, &Dock::foldedChanged, log_, &LogPanel::setFolded);
  // Queued: it has its height there by then, which it takes back when it is unfolded.
  connect(logDock_, &Dock::topLevelChanged, this, &MainWindow::fitLog, Qt::QueuedConnection);
  connect(logDock_, &Dock::dockLocationChanged, this, &MainWindow::fitLog, Qt::QueuedConnection);
  runsWidth_ = new KeptWidth(runsDock_, this);
  auto* inspector = new FactPanel(tr("Details of the selection"));
  inspector->tree()->setObjectName(QStringLiteral("inspector"));
  inspector->addNamedActions();
  inspector_ = new Inspector(inspector, runList_, pages_, this);
  inspectorDock_ = new Dock("inspectorDock", tr("Inspector"), inspector);
  auto* devices = new FactPanel(tr("Devices, who has them, and the queue"));
  devices->tree()->setObjectName(QStringLiteral("devices"));
  new DeviceWatch(devices, runList_, this);
  devicesDock_ = new Dock("devicesDock", tr("Devices"), devices);
  for (Dock* dock : docks())
    connect(dock, &Dock::aboutToTakeRoom, this, [this, dock] { makeRoomFor(dock); });
}

QList<Dock*> MainWindow::docks() const {
  return {runsDock_, logDock_, inspectorDock_, devicesDock_};
}

void MainWindow::placeDocks() {
  addDockWidget(Qt::LeftDockWidgetArea, runsDock_);
  addDockWidget(Qt::BottomDockWidgetArea, logDock_);
  addDockWidget(Qt::RightDockWidgetArea, inspectorDock_);
  addDockWidget(Qt::RightDockWidgetArea, devicesDock_);
  for (Dock* dock : docks()) dock->setVisible(dock == runsDock_ || dock == logDock_);
  runsWidth_->setWidth(
      std::min(widgets::scaledPx(kRunsPx), static_cast<int>(width() * kRunsFraction)));
  resizeDocks({logDock_}, {static_cast<int>(height() * kLogFraction)}, Qt::Vertical);
  const int factsPx = inspectorDock_->widget()->sizeHint().width();
  resizeDocks({inspectorDock_, devicesDock_}, {factsPx, factsPx}, Qt::Horizontal);
}

/// In a low window its title is enough until the log has an error, or a person wants it.
void MainWindow::fitLog() {
  const bool isLow = height() < widgets::scaledPx(kLowPx);
  logDock_->setFolded(foldsLog_.value_or(isLow && !log_->hasErrors()) && !needsLog_);
  log_->setFolded(logDock_->isFolded());  // also where it cannot be
}

/// A choice that shows nothing, as of a log that floats, is none.
void MainWindow::foldLog(bool isFolded) {
  if (!logDock_->canFold()) return fitLog();
  foldsLog_ = isFolded;
  needsLog_ = false;
  fitLog();
}

void MainWindow::bringUpLog() {
  needsLog_ = true;
  fitLog();
  logDock_->bringUp();
}

/// A dock that opens does not widen the window: those at the other side of the pages give way.
void MainWindow::makeRoomFor(Dock* dock) {
  const auto isBeside = [this](Dock* each, Qt::DockWidgetArea area) {
    return !each->isHidden() && !each->isFloating() && dockWidgetArea(each) == area;
  };
  const Qt::DockWidgetArea area = dockWidgetArea(dock);
  const bool isLeft = area == Qt::LeftDockWidgetArea;
  if (!isVisible() || (!isLeft && area != Qt::RightDockWidgetArea)) return;
  const auto other = isLeft ? Qt::RightDockWidgetArea : Qt::LeftDockWidgetArea;
  const auto widthOf = [](const Dock* each) { return each->minimumSizeHint().width() + 1; };
  int own = widthOf(dock), others = 0;
  for (Dock* each : docks()) {
    if (isBeside(each, area)) own = std::max(own, widthOf(each));
    if (isBeside(each, other)) others = std::max(others, widthOf(each));
  }
  if (pages_->pageWidth() + own + others <= width()) return;
  for (Dock* each : docks())
    if (isBeside(each, other)) each->hide();
}

void MainWindow::resetDocks() {
  for (Dock* dock : docks()) dock->setFloating(false);
  foldsLog_.reset();
  needsLog_ = false;
  logDock_->setFolded(false);  // so that its height is another one
  placeDocks();
  fitLog();
}

void MainWindow::restoreLayout() {
  const QSettings settings;
  // Screenshots have the same size on every machine.
  resize(options_.keepLayout ? kDefaultSize.boundedTo(screen()->availableSize()) : kDefaultSize);
  if (options_.keepLayout) {
    restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    // Kept on another screen, or at another scale of it.
    if (!isMaximized() && !isFullScreen() && !isAtHand(geometry())) {
      const QRect room = screen()->availableGeometry();
      resize(size().boundedTo(room.size()));
      move(room.topLeft());
    }
  }
  if (!options_.size.isEmpty()) resize(options_.size);
  placeDocks();
  if (options_.keepLayout) {
    restoreState(settings.value(QStringLiteral("docks")).toByteArray(), kLayoutVersion);
    if (const QVariant kept = settings.value(kRunsWidthKey); kept.isValid())
      runsWidth_->setWidth(kept.toInt());
    if (const QVariant kept = settings.value(kLogFoldedKey); kept.isValid())
      foldsLog_ = kept.toBool();
    if (const QVariant kept = settings.value(kLogHeightKey); kept.isValid())
      logDock_->restoreFolded(kept.toInt());
    const double smoothing = settings.value(QStringLiteral("smoothing"), 0.6).toDouble();
    monitorPage()->tools()->setSmoothing(smoothing);
    runs_->restoreViewState(settings.value(QStringLiteral("runView")).toMap());
    connect(monitorPage(), &MonitorPage::cardSettingsChanged, this, [this] {
      QSettings().setValue(folderKey("cards"), monitorPage()->cardSettings().toVariant());
    });
    connect(runs_, &RunsPanel::groupingChosen, this,
            [this](const QString& by) { QSettings().setValue(folderKey("groups"), by); });
    loadSplitters();
    keepDismissals(monitorPage()->alertBanner()->dismissals(), QStringLiteral("dismissedAlerts"));
    keepDismissals(pages_->runBanner()->dismissals(), QStringLiteral("dismissedFailures"));
  }
  // Screenshots have the same run colours as the window.
  runList_->restoreStyles(settings.value(QStringLiteral("runStyles")).toStringList());
}

/// Of what is kept for each folder of runs.
QString MainWindow::folderKey(const char* what) const {
  return QLatin1String(what) + u'/' +
         QString::fromLatin1(QUrl::toPercentEncoding(runList_->parentFolder()));
}

/// The cards, and what the runs are grouped by. Without kept ones a folder has the usual ones, not
/// those of the folder before.
void MainWindow::restoreFolderView() {
  const auto kept = [this](const char* what) {
    return options_.keepLayout ? QSettings().value(folderKey(what)) : QVariant();
  };
  monitorPage()->setCardSettings(CardSettings::fromVariant(kept("cards").toMap()));
  runs_->groupBy(kept("groups").toString());
}

/// Saves each dismissal at once, so that it is not lost if the program is killed.
void MainWindow::keepDismissals(Dismissals* dismissals, const QString& key) {
  dismissals->restore(QSettings().value(key).toStringList());
  connect(dismissals, &Dismissals::changed, this,
          [dismissals, key] { QSettings().setValue(key, dismissals->kept()); });
}

void MainWindow::saveLayout() const {
  QSettings settings;
  settings.setValue(QStringLiteral("geometry"), saveGeometry());
  settings.setValue(QStringLiteral("runView"), runs_->viewState());
  settings.setValue(QStringLiteral("docks"), saveState(kLayoutVersion));
  settings.setValue(kRunsWidthKey, runsWidth_->width());
  settings.setValue(kLogFoldedKey, foldsLog_ ? QVariant(*foldsLog_) : QVariant());
  // Where it is not folded, the state of the docks has its height.
  settings.setValue(kLogHeightKey,
                    logDock_->isFolded() ? QVariant(logDock_->openHeight()) : QVariant());
  settings.setValue(QStringLiteral("smoothing"), monitorPage()->tools()->smoothing());
  saveSplitters();
  saveSession();
}

}  // namespace lockstep::app
