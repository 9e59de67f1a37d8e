#include "tests/app/shared_window.h"

#include <QAction>
#include <QCoreApplication>
#include <QDialog>
#include <QEvent>
#include <QTest>
#include <functional>
#include <vector>

#include "app/configure/configure_page.h"
#include "app/frame/opening.h"
#include "app/frame/page_area.h"
#include "app/monitor/card_sections.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/linked_zoom.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/clicked_answer.h"
#include "tests/app/window_options.h"
#include "widgets/plots/curve_card.h"

namespace lockstep::tests {
namespace {

constexpr int kShownAfterMs = 20000;

/// Fails the test if it does not come.
void waitFor(const char* what, const std::function<bool()>& isThere) {
  [[maybe_unused]] const bool came =
      QTest::qVerify(QTest::qWaitFor(isThere, kShownAfterMs), what, "", __FILE__, __LINE__);
}

void closeDocuments(app::ConfigurePage& page) {
  while (page.hasDocument()) {
    const Answer discard("Discard");
    if (!page.closeShown()) QFAIL("the document of the last test stays open");
  }
}

void resetCurves(app::MonitorPage& page) {
  page.setCardSettings({});
  page.endMaximized();
  page.zoom()->setLinked(true);
  page.tools()->setXAxis(widgets::XAxis::Step);
  page.tools()->setWords({});
  page.sections()->setWords({});  // without its pause
  page.tools()->setSmoothing(0.6);
  for (const widgets::CurveCard* card : page.cards()) {
    card->plot()->setLogX(false);
    card->plot()->setLogY(false);
    card->plot()->setIgnoreOutliers(false);
  }
  if (!page.cards().empty()) Q_EMIT page.cards().front()->plot()->cursorMoved(std::nullopt);
}

}  // namespace

app::MainWindow& SharedWindow::window() {
  if (window_) return *window_;
  window_ = std::make_unique<app::MainWindow>(&theme_, optionsFor({nothing_.path()}));
  window_->show();
  return *window_;
}

void SharedWindow::clear() {
  auto* pages = window_->findChild<app::PageArea*>();
  for (auto* dialog : window_->findChildren<QDialog*>())
    if (dialog->isVisible()) dialog->reject();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  if (pages->existingConfigurePage()) closeDocuments(*pages->existingConfigurePage());
  pages->hideMessage();
  auto* list = window_->findChild<app::RunListModel*>();
  QStringList runs;
  for (int row = 0; row < list->rowCount(); ++row)
    runs << list->index(row).data(app::RunListModel::FolderRole).toString();
  list->setParentFolders({nothing_.path()});
  list->forget(runs);
  window_->runsPanel()->clearFilter();
  window_->runsPanel()->groupBy({});
  resetCurves(*window_->monitorPage());
  window_->resize(kSize);
  window_->findChild<QAction*>(QStringLiteral("window.reset_layout"))->trigger();
}

/// The first one is the current one.
void SharedWindow::select(const QStringList& runs) {
  auto* list = window_->findChild<app::RunListModel*>();
  for (const QString& run : runs) {
    if (run == runs.first()) window_->runsPanel()->selectRun(run);
    list->addRun(run);
    if (run != runs.first()) window_->runsPanel()->addToSelection(run);
  }
}

app::MainWindow& SharedWindow::show(const QStringList& paths, std::optional<app::Page> page) {
  window();
  clear();
  std::vector<app::GivenPath> given;
  for (const QString& path : paths) given.push_back({path, app::kindOf(path)});
  const app::Opening opening = app::openingOf(given, page);
  auto* list = window_->findChild<app::RunListModel*>();
  if (opening.hasRunsFolder) list->setParentFolders(opening.runsFolders);
  for (const QString& experiment : opening.experiments) window_->configurePage()->open(experiment);
  select(opening.runs);
  waitFor("the list is read", [&] { return list->isLoaded(); });
  if (opening.runs.isEmpty() && opening.experiments.isEmpty() && list->rowCount() > 0)
    window_->runsPanel()->selectRun(list->index(0).data(app::RunListModel::FolderRole).toString());
  window_->showPage(opening.page);
  window_->activateWindow();
  waitFor("the window is active", [&] { return window_->isActiveWindow(); });
  waitFor("the page is ready", [&] {
    return window_->isReady() && window_->runsPanel()->selectedRuns().size() >= opening.runs.size();
  });
  return *window_;
}

}  // namespace lockstep::tests
