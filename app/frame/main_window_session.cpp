// MainWindow's session: what was open and shown is kept for the next start.
#include <QAction>
#include <QFileInfo>
#include <QSettings>
#include <QSplitter>
#include <QTimer>
#include <algorithm>
#include <chrono>

#include "app/configure/configure_page.h"
#include "app/frame/main_window.h"
#include "app/frame/opening.h"
#include "app/frame/page_area.h"
#include "app/frame/session.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/panel/runs_panel.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

const QString kSessionKey = QStringLiteral("session"),
              kRestoresKey = QStringLiteral("restoresSession"),
              kSplittersKey = QStringLiteral("splitters");

constexpr std::chrono::milliseconds kLayoutKeptAfter{1000};

struct Found {
  QStringList there, gone;
};

/// Blocks as long as a disk does.
Found foundOf(const QStringList& files) {
  Found found;
  for (const QString& file : files)
    (QFileInfo(file).isFile() ? found.there : found.gone).append(file);
  return found;
}

}  // namespace

QAction* MainWindow::addSessionAction() {
  QAction* action =
      addEverywhere("window.restore_session", tr("Restore the session at the start"), "", [] {});
  action->setCheckable(true);
  action->setChecked(QSettings().value(kRestoresKey, true).toBool());
  connect(action, &QAction::toggled, this, [this](bool isOn) {
    if (options_.keepLayout) QSettings().setValue(kRestoresKey, isOn);
  });
  return action;
}

std::optional<Session> MainWindow::keptSession() const {
  const QSettings settings;
  const bool isWanted = options_.keepLayout && settings.value(kRestoresKey, true).toBool();
  return isWanted ? Session::fromVariant(settings.value(kSessionKey).toMap()) : std::nullopt;
}

/// What was given on the command line is opened in its place.
std::optional<Session> MainWindow::sessionToRestore() const {
  return options_.paths.isEmpty() ? keptSession() : std::nullopt;
}

/// What was given on the command line is runs of the session, or has them below it.
bool MainWindow::isOfGivenRuns(const Session& session) const {
  return std::ranges::any_of(options_.paths, [&](const QString& path) {
    return std::ranges::any_of(session.runs, [&](const QString& run) {
      return run == path || run.startsWith(path + u'/');
    });
  });
}

void MainWindow::saveSession() const {
  Session session;
  const QStringList folders = runList_->places();
  if (folders != QStringList{usualRunsFolder()}) session.runsFolders = folders;
  session.runs = runs_->selectedRuns() + waitingPaths_;
  // They are listed with their place.
  session.runs.removeIf([](const QString& run) { return RemotePlace::isRemote(run); });
  if (const ConfigurePage* configure = pages_->existingConfigurePage()) {
    const DocumentController* document = configure->document();
    const QList<OpenDocument> open = document->documents();
    for (const OpenDocument& each : open)
      if (each.hasFile) session.experiments.append(each.path);
    // The shown one last; the order of the others is kept.
    if (session.experiments.removeOne(document->path()))
      session.experiments.append(document->path());
  }
  // Those whose disk has not answered are not lost.
  session.experiments = waitingExperiments_ + session.experiments;
  session.page = page();
  session.monitor = monitorPage()->viewState();
  session.compare = pages_->compareState();
  session.predictions = pages_->predictionsState();
  QSettings().setValue(kSessionKey, session.toVariant());
}

/// So that a program that is killed is where it was. Once what was restored is there.
void MainWindow::keepLayoutSoon() {
  if (options_.keepLayout && !layoutTimer_.isActive()) layoutTimer_.start(kLayoutKeptAfter);
}

void MainWindow::connectLayoutTimer() {
  layoutTimer_.setSingleShot(true);
  layoutTimer_.callOnTimeout(this, [this] {
    if (!isReady() || !waitingExperiments_.isEmpty()) return layoutTimer_.start(kLayoutKeptAfter);
    saveLayout();
  });
  connect(pages_, &PageArea::pageShown, this, &MainWindow::keepLayoutSoon);
  connect(pages_, &PageArea::viewStateChanged, this, &MainWindow::keepLayoutSoon);
  connect(runs_, &RunsPanel::selectionChanged, this, &MainWindow::keepLayoutSoon);
}

/// The window is not shown yet: experiments are opened once it is.
void MainWindow::restoreSession(const Session& session) {
  restoreViews(session);
  if (session.experiments.isEmpty()) return;
  waitingExperiments_ = session.experiments;
  jobs::start(
      this, jobs::Kind::Disk, [files = session.experiments] { return foundOf(files); },
      [this](const Found& found) {
        showGone(found.gone);
        reopenExperiments(found.there);
      });
}

/// How its runs were looked at.
void MainWindow::restoreViews(const Session& session) {
  monitorPage()->restoreViewState(session.monitor);
  pages_->restoreCompareState(session.compare);
  pages_->restorePredictions(session.predictions);
}

/// Once another file is not being opened any more.
void MainWindow::reopenExperiments(const QStringList& files) {
  DocumentController* document = configurePage()->document();
  if (document->isBusy()) {
    connect(
        document, &DocumentController::idle, this, [this, files] { reopenExperiments(files); },
        static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
    return;
  }
  // A draft that was restored stays in sight.
  const int shown = document->shownDocument();
  for (const QString& file : files) configurePage()->open(file);
  if (shown >= 0) document->showDocument(shown);
  waitingExperiments_.clear();
}

void MainWindow::showGone(const QStringList& paths) {
  if (paths.isEmpty()) return;
  gone_ += paths;
  pages_->showWarning(tr("The last session was not fully restored"),
                      tr("No longer there: %1").arg(gone_.join(QStringLiteral(", "))));
}

/// Of pages that have been made since.
void MainWindow::restoreSplitters() {
  for (QSplitter* splitter : findChildren<QSplitter*>())
    if (const QVariant kept = splitters_.take(splitter->objectName()); kept.isValid())
      splitter->restoreState(kept.toByteArray());
}

void MainWindow::loadSplitters() { splitters_ = QSettings().value(kSplittersKey).toMap(); }

void MainWindow::saveSplitters() const {
  QVariantMap kept = splitters_;
  for (const QSplitter* splitter : findChildren<QSplitter*>())
    if (!splitter->objectName().isEmpty()) kept[splitter->objectName()] = splitter->saveState();
  QSettings().setValue(kSplittersKey, kept);
}

}  // namespace lockstep::app
