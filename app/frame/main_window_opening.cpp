// What MainWindow opens at the start: paths whose disks may not answer, and restored drafts.
#include <QTimer>
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/configure/configure_page.h"
#include "app/documents/draft_folder.h"
#include "app/frame/main_window.h"
#include "app/frame/opening.h"
#include "app/frame/page_area.h"
#include "app/frame/session.h"
#include "app/frame/status_strip.h"
#include "app/runs/list/remote_run_list.h"
#include "app/runs/panel/runs_panel.h"
#include "widgets/jobs/awaited.h"

namespace lockstep::app {
namespace {

using Clock = std::chrono::steady_clock;

/// Disks have this long to answer before the window is shown without what is on them.
constexpr std::chrono::milliseconds kBeforeShown{300};
/// After this long the window counts as loaded without them.
constexpr std::chrono::seconds kOpeningPatience{5};

bool answersUntil(Clock::time_point until, const jobs::Ending& answer) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  return answer.wait(std::max(left, std::chrono::milliseconds(0)));
}

}  // namespace

/// Unsaved edits of earlier sessions.
struct MainWindow::LeftDrafts {
  QStringList damaged;
  QList<OrphanedDraft> orphaned;
};

/// The window is not shown yet, so that waiting for a moment freezes nothing.
void MainWindow::openInitial() {
  const auto until = Clock::now() + kBeforeShown;
  const std::optional<Session> session = sessionToRestore();
  const QStringList paths = session ? session->runsFolders + session->runs : options_.paths;
  using Kind = jobs::Awaited<PathKind>;
  std::vector<Kind> kinds;
  for (const QString& path : paths)
    kinds.emplace_back(
        [path, isKept = session.has_value()] { return isKept ? kindOfKept(path) : kindOf(path); });
  const DraftFolder drafts(options_.draftFolder);
  const jobs::Awaited left([drafts] {
    return LeftDrafts{drafts.setAsideDamaged(), drafts.orphaned()};
  });

  std::vector<GivenPath> given;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const QString path = paths[static_cast<qsizetype>(i)];
    const Kind& kind = kinds[i];
    given.push_back({path, {}});
    if (answersUntil(until, kind.ending())) {
      given.back().kind = kind.take();
    } else {
      kind.ending().then(this, [this, path, kind] { openLate(path, kind.take()); });
    }
  }
  Opening opening =
      openingOf(given, session && !options_.page ? std::optional(session->page) : options_.page);
  if (session) {
    opening.isPlainStart = !options_.page;
    opening.copiedRun.clear();
  }
  open(opening);
  showGone(opening.gone);
  if (session)
    restoreSession(*session);
  else if (const auto kept = keptSession(); kept && isOfGivenRuns(*kept))
    restoreViews(*kept);
  if (answersUntil(until, left.ending())) return restoreDrafts(left.take(), opening.isPlainStart);
  left.ending().then(this, [this, left] { restoreDrafts(left.take(), false); });
}

void MainWindow::open(const Opening& opening) {
  hasRunsFolder_ = opening.hasRunsFolder;
  runList_->setParentFolders(opening.runsFolders);
  restoreFolderView();
  status_->setRunsFolder(opening.runsFolders.first());
  for (const QString& experiment : opening.experiments) configurePage()->open(experiment);
  if (!opening.experiments.isEmpty()) runs_->selectNothing();
  for (const QString& run : opening.runs) {
    const bool leads = run == opening.runs.first();
    if (leads) runs_->selectRun(run);
    runList_->addRun(run);
    if (!leads) runs_->addToSelection(run);
  }
  const bool hasSelection = !opening.runs.isEmpty() || !opening.experiments.isEmpty();
  for (const RemotePlace& place : opening.remotes)
    openRemote(place, !hasSelection && place == opening.remotes.first());
  const bool isNothing = !hasSelection && opening.remotes.isEmpty();
  if (isNothing && !opening.waiting.isEmpty()) runs_->selectNothing();
  if (!opening.copiedRun.isEmpty()) configurePage()->openCopyOfRun(opening.copiedRun);
  showPage(opening.page);
  if (opening.waiting.isEmpty()) return;
  waitingPaths_ = opening.waiting;
  showWaiting();
  QTimer::singleShot(kOpeningPatience, this, [this] {
    isPatienceOver_ = true;
    Q_EMIT readyChanged();
  });
}

void MainWindow::showWaiting() {
  const QString title = tr("Waiting for a disk that does not answer");
  pages_->hideMessage(title);
  if (!waitingPaths_.isEmpty())
    pages_->showWarning(
        title, tr("Opened as soon as it does: %1").arg(waitingPaths_.join(QStringLiteral(", "))));
}

/// A path whose disk did not answer at first. It is shown if nothing else is by now.
void MainWindow::openLate(const QString& path, PathKind kind) {
  waitingPaths_.removeOne(path);
  showWaiting();
  if (kind == PathKind::Gone) {
    showGone({path});
  } else if (kind == PathKind::Packed) {
    openRemote(RemotePlace::packedRun(path), runs_->selectedRuns().isEmpty());
  } else if (kind == PathKind::Experiment) {
    if (configurePage()->open(path) && runs_->selectedRuns().isEmpty()) showPage(Page::Configure);
  } else if (kind == PathKind::Run) {
    if (runs_->selectedRuns().isEmpty()) runs_->selectRun(path);
    runList_->addRun(path);
  } else {
    const QStringList others = hasRunsFolder_ ? runList_->parentFolders() : QStringList();
    hasRunsFolder_ = true;
    runList_->setParentFolders(others + QStringList{path});
    restoreFolderView();
    status_->setRunsFolder(runList_->parentFolder());
  }
  Q_EMIT readyChanged();
}

/// All drafts are opened, the newest is shown, if neither paths nor a page were given
/// (`isPlainStart`); otherwise a notice offers the newest.
void MainWindow::restoreDrafts(const LeftDrafts& left, bool isPlainStart) {
  if (!left.damaged.isEmpty())
    pages_->showFailure(tr("Unsaved edits of an earlier session cannot be read"),
                        tr("The file is damaged. Open it in a text editor to see what is left: %1")
                            .arg(left.damaged.join(QStringLiteral(", "))));
  if (left.orphaned.isEmpty()) {
    if (isPlainStart && waitingExperiments_.isEmpty()) reopenLast();
    return;
  }
  if (!isPlainStart) return configurePage()->document()->announceDrafts(left.orphaned);
  for (auto draft = left.orphaned.crbegin(); draft != left.orphaned.crend(); ++draft)
    configurePage()->openDraft(draft->id);
  if (std::ranges::any_of(left.orphaned, &Draft::isEdited, &OrphanedDraft::draft))
    showPage(Page::Configure);
}

/// A folder of runs stays listed; a run is added to the list. `selects` the newest one.
void MainWindow::openRemote(const RemotePlace& place, bool selects) {
  auto* runs = new RemoteRuns(place, this);
  runs->setNotesFile(QString::fromStdString(run_folder::NotesByFolder::defaultFile().string()));
  remoteRuns_.push_back(runs);
  if (selects) runs_->selectNothing();  // until it is known what is there
  auto show = [this, place, selects, isFirst = true](const std::vector<ListedRun>& found,
                                                     qsizetype leftOut) mutable {
    runList_->setRemoteRuns(place, found, leftOut);
    if (std::exchange(isFirst, false) && selects && !found.empty())
      runs_->selectRun(QString::fromStdString(found.front().summary.folder.string()));
    Q_EMIT readyChanged();
  };
  connect(runs, &RemoteRuns::listed, this, show);
  connect(runs, &RemoteRuns::failed, this, [this, place](const QString& reason) {
    runList_->setRemoteError(place, reason);
    Q_EMIT readyChanged();
  });
}

}  // namespace lockstep::app
