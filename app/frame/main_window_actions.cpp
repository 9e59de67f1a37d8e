// Menu and keyboard of the window.
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QLocale>
#include <QMenu>
#include <QSettings>
#include <QToolButton>

#include "app/configure/configure_page.h"
#include "app/docks/dock.h"
#include "app/frame/command_palette.h"
#include "app/frame/keys_dialog.h"
#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/frame/shortcut_sheet.h"
#include "app/frame/status_strip.h"
#include "app/frame/top_bar.h"
#include "app/frame/tour.h"
#include "app/monitor/card_sections.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/linked_range.h"
#include "app/monitor/linked_zoom.h"
#include "app/monitor/log_panel.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/panel/run_menu.h"
#include "app/runs/panel/run_view_menu.h"
#include "app/runs/panel/runs_panel.h"
#include "app/text/distinct_names.h"
#include "widgets/jobs/awaited.h"
#include "widgets/literal_text.h"
#include "widgets/named_action.h"

namespace lockstep::app {
namespace {

/// Of "F1; ?"
QList<QKeySequence> keysOf(const char* keys) {
  return *keys ? QKeySequence::listFromString(QString::fromLatin1(keys)) : QList<QKeySequence>();
}

}  // namespace

QAction* MainWindow::addEverywhere(const char* id, const QString& text, const char* keys,
                                   const std::function<void()>& act) {
  return widgets::addNamedAction(this, widgets::ActionPlace::Everywhere, id, text, keysOf(keys),
                                 act);
}

QMenu* MainWindow::buildMenu() {
  auto* menu = new QMenu(this);
  menu->addAction(addEverywhere("experiment.new", tr("New experiment…"), "Ctrl+N",
                                [this] { newExperiment(ExperimentOrigin::Data); }));
  menu->addAction(addEverywhere("experiment.open", tr("Open experiment…"), "Ctrl+O",
                                [this] { openWithDialog(); }));
  documentActions_.save = addEverywhere("experiment.save", tr("Save experiment"), "Ctrl+S",
                                        [this] { configurePage()->save(); });
  documentActions_.saveAs = addEverywhere("experiment.save_as", tr("Save experiment as…"),
                                          "Ctrl+Shift+S", [this] { configurePage()->saveAs(); });
  menu->addMenu(buildRecentMenu(menu));
  menu->addActions({documentActions_.save, documentActions_.saveAs});
  addExperimentActions(menu);
  menu->addMenu(buildDraftMenu(menu));
  menu->addAction(addEverywhere("runs.open_folder", tr("Open folder of runs…"), "Ctrl+Shift+O",
                                [this] { openRunsFolder(); }));
  menu->addAction(addEverywhere("runs.open_packed", tr("Open a run in one file…"), "",
                                [this] { openPackedRun(); }));
  menu->addAction(addEverywhere("runs.add_folder", tr("Add another folder of runs…"), "",
                                [this] { addRunsFolder(); }));
  menu->addSeparator();
  buildRunActions(menu);
  menu->addSeparator();
  buildThemeMenu(menu->addMenu(tr("Theme")));
  buildPanelMenu(menu->addMenu(tr("Panels")));
  menu->addActions({addNoticeAction(), addSessionAction()});
  menu->addAction(
      addEverywhere("window.palette", tr("Command palette…"), "Ctrl+K", [this] { showPalette(); }));
  menu->addAction(
      addEverywhere("window.keys", tr("Keyboard shortcuts"), "F1; ?", [this] { showShortcuts(); }));
  menu->addAction(addTourAction());
  menu->addAction(addEverywhere("window.change_keys", tr("Change keys…"), "", [this] {
    configurePage();
    predictionsPage();
    dataPage();
    comparePage();
    KeysDialog(this, options_.keepLayout).exec();
  }));
  menu->addSeparator();
  menu->addAction(addEverywhere("window.close", tr("Close the window (runs keep training)"),
                                "Ctrl+Q", [this] { close(); }));
  return menu;
}

void MainWindow::buildRunActions(QMenu* menu) {
  documentActions_.train =
      addEverywhere("experiment.train", tr("Train"), "Ctrl+Return", [this] { train(); });
  documentActions_.queue = addEverywhere("experiment.queue", tr("Add to the queue"),
                                         "Ctrl+Shift+Return", [this] { addToQueue(); });
  runActions_.pause =
      addEverywhere("run.pause", tr("Pause"), "Ctrl+Shift+P", [this] { togglePause(); });
  runActions_.pause->setProperty(widgets::kListedText, tr("Pause or resume"));
  runActions_.checkpoint = addEverywhere("run.checkpoint", tr("Save a checkpoint now"), "", [this] {
    if (RunController* run = currentRun()) run->saveCheckpoint();
  });
  runActions_.evaluate = addEverywhere("run.evaluate", tr("Evaluate now"), "", [this] {
    if (RunController* run = currentRun()) run->evaluate();
  });
  runActions_.fork = addEverywhere("run.fork", tr("Fork from a checkpoint…"), "",
                                   [this] { forkRun(runs_->currentRun()); });
  runActions_.pack = addEverywhere("run.pack", tr("Save as one file…"), "",
                                   [this] { packRun(runs_->currentRun()); });
  runActions_.rangeTest =
      addEverywhere("run.range_test", tr("Show the learning rate that the run found"), "",
                    [this] { showRangeTest(runs_->currentRun(), {}); });
  runActions_.stop = addEverywhere("run.stop", tr("Stop"), "Ctrl+.", [this] { stopRun(); });
  runActions_.stop->setProperty(widgets::kListedText, tr("Save a checkpoint and stop"));
  documentActions_.rangeTest =
      addEverywhere("experiment.find_learning_rate", tr("Learning-rate range test"), "",
                    [this] { findLearningRate(); });
  menu->addActions({documentActions_.train, documentActions_.queue, documentActions_.rangeTest,
                    runActions_.pause, runActions_.checkpoint, runActions_.evaluate,
                    runActions_.stop, runActions_.fork, runActions_.pack, runActions_.rangeTest});
}

void MainWindow::buildPanelMenu(QMenu* menu) {
  const struct {
    Dock* dock;
    const char *id, *keys, *floatId;
    QString text, floatText;
  } panels[] = {{runsDock_, "window.runs_panel", "", "window.float_runs", tr("Runs: show or hide"),
                 tr("Runs: float or dock")},
                {logDock_, "window.log_panel", "", "window.float_log",
                 tr("Log and alerts: show or hide"), tr("Log and alerts: float or dock")},
                {inspectorDock_, "window.inspector_panel", "Ctrl+I", "window.float_inspector",
                 tr("Inspector: show or hide"), tr("Inspector: float or dock")},
                {devicesDock_, "window.devices_panel", "Ctrl+Shift+I", "window.float_devices",
                 tr("Devices: show or hide"), tr("Devices: float or dock")}};
  for (const auto& panel : panels) {
    QAction* action = panel.dock->toggleViewAction();
    action->setShortcuts(keysOf(panel.keys));
    widgets::nameAction(action, widgets::ActionPlace::Everywhere, panel.id);
    action->setProperty(widgets::kListedText, panel.text);
    menu->addAction(action);
    addAction(action);
    addEverywhere(panel.floatId, panel.floatText, "", [dock = panel.dock] {
      dock->bringUp();
      dock->setFloating(!dock->isFloating());
    });
  }
  menu->addAction(addEverywhere("window.fold_log", tr("Log and alerts: fold or unfold"), "",
                                [this] { foldLog(!logDock_->isFolded()); }));
  menu->addSeparator();
  menu->addAction(
      addEverywhere("window.reset_layout", tr("Reset layout"), "", [this] { resetDocks(); }));
}

/// Of all pages, which are created for it.
void MainWindow::showPalette() {
  configurePage();
  predictionsPage();
  dataPage();
  comparePage();
  auto* palette = new CommandPalette(this, [this](const QAction* action) {
    switch (widgets::placeOf(action)) {
      case widgets::ActionPlace::Configure:
        return showPage(Page::Configure);
      case widgets::ActionPlace::Monitor:
        return showPage(Page::Monitor);
      case widgets::ActionPlace::Predictions:
        return showPage(Page::Predictions);
      case widgets::ActionPlace::Data:
        return showPage(Page::Data);
      case widgets::ActionPlace::Compare:
        return showPage(Page::Compare);
      case widgets::ActionPlace::Inspector:
        return inspectorDock_->bringUp();
      case widgets::ActionPlace::Runs:
        return runsDock_->bringUp();
      case widgets::ActionPlace::Everywhere:
        return;
    }
  });
  addRunsTo(palette);
  connect(palette, &CommandPalette::triggered, this, [this](const QString& id) {
    lastActions_.removeAll(id);
    lastActions_.prepend(id);
  });
  palette->popUp(lastActions_);
}

/// The listed runs, how they are listed, and what can be done with the current one.
void MainWindow::addRunsTo(CommandPalette* palette) {
  QStringList names, folders;
  for (int row = 0; row < runList_->rowCount(); ++row) {
    folders.append(runList_->index(row).data(RunListModel::FolderRole).toString());
    names.append(runList_->listedName(row));
  }
  palette->addRuns(names, [this, folders](int run) { runs_->selectRun(folders[run]); });
  for (const auto& [title, entries] : runs_->viewMenu()->entries())
    palette->addActions(tr("Runs, %1").arg(title.toLower()), entries);
  RunMenu* menu = runs_->makeMenu();
  if (!menu) return;
  connect(palette, &QObject::destroyed, menu, &QObject::deleteLater);
  palette->addActions(tr("Selected run"), menu->unnamedActions());
}

/// All pages', which are created for it.
void MainWindow::showShortcuts() {
  configurePage();
  predictionsPage();
  dataPage();
  comparePage();
  showShortcutSheet(this);
}

void MainWindow::openRunsFolder() {
  const QString folder = QFileDialog::getExistingDirectory(
      this, tr("Folder of runs"), jobs::folderToBeginWith(runList_->parentFolder()));
  if (folder.isEmpty()) return;
  runList_->setParentFolders({folder});
  status_->setRunsFolder(folder);
  restoreFolderView();
}

void MainWindow::addRunsFolder() {
  const QString folder = QFileDialog::getExistingDirectory(
      this, tr("Another folder of runs"), jobs::folderToBeginWith(runList_->parentFolder()));
  if (!folder.isEmpty())
    runList_->setParentFolders(runList_->parentFolders() + QStringList{folder});
}

/// Orphaned drafts, to be opened one by one. They are looked for whenever it is shown.
QMenu* MainWindow::buildDraftMenu(QWidget* parent) {
  auto* menu = new QMenu(tr("Unsaved edits"), parent);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] {
    menu->clear();
    menu->addAction(tr("Looking for them…"))->setEnabled(false);
    jobs::start(
        menu, jobs::Kind::Disk,
        [drafts = DraftFolder(options_.draftFolder)] { return drafts.orphaned(); },
        [this, menu](const QList<OrphanedDraft>& left) { fillDraftMenu(menu, left); });
  });
  return menu;
}

void MainWindow::fillDraftMenu(QMenu* menu, const QList<OrphanedDraft>& left) {
  menu->clear();
  QStringList paths;
  for (const OrphanedDraft& draft : left) paths << draft.draft.shownPath;
  QStringList names = distinctNames(paths);
  for (const OrphanedDraft& draft : left) {
    const QString time = QLocale().toString(draft.draft.edited, QLocale::ShortFormat);
    QAction* action =
        menu->addAction(widgets::literalText(QStringLiteral("%1, %2").arg(names.takeFirst(), time)),
                        this, [this, id = draft.id] {
                          showPage(Page::Configure);
                          configurePage()->openDraft(id);
                        });
    action->setToolTip(draft.draft.shownPath);
  }
  if (left.isEmpty()) menu->addAction(tr("No unsaved edits"))->setEnabled(false);
}

void MainWindow::buildThemeMenu(QMenu* menu) {
  using Mode = widgets::ThemeSwitch::Mode;
  auto* group = new QActionGroup(menu);
  const struct {
    const char* id;
    QString title;
    Mode mode;
  } modes[] = {{"window.theme_system", tr("System"), Mode::System},
               {"window.theme_light", tr("Light"), Mode::Light},
               {"window.theme_dark", tr("Dark"), Mode::Dark}};
  for (const auto& [id, title, mode] : modes) {
    QAction* action = menu->addAction(title);
    widgets::nameAction(action, widgets::ActionPlace::Everywhere, id);
    action->setProperty(widgets::kListedText, tr("Theme: %1").arg(title));
    action->setCheckable(true);
    action->setChecked(theme_->mode() == mode);
    group->addAction(action);
    // Saved when it is chosen here; a theme from the command line is for this window only.
    connect(action, &QAction::triggered, theme_, [this, chosen = mode] {
      theme_->setMode(chosen);
      if (options_.keepLayout)
        QSettings().setValue(QStringLiteral("theme"), static_cast<int>(chosen));
    });
  }
}

void MainWindow::addNamedActions() {
  addEverywhere("page.configure", tr("Show Configure"), "Ctrl+1",
                [this] { showPage(Page::Configure); });
  addEverywhere("page.monitor", tr("Show Monitor"), "Ctrl+2", [this] { showPage(Page::Monitor); });
  addEverywhere("page.predictions", tr("Show Predictions"), "Ctrl+3",
                [this] { showPage(Page::Predictions); });
  addEverywhere("page.data", tr("Show Data"), "Ctrl+4", [this] { showPage(Page::Data); });
  addEverywhere("page.compare", tr("Show Compare"), "Ctrl+5", [this] { showPage(Page::Compare); });
  addEverywhere("runs.filter", tr("Filter runs"), "/", [this] {
    runsDock_->bringUp();
    runs_->focusFilter();
  });
  addEverywhere("runs.view", tr("Columns, order and groups of the runs"), "", [this] {
    runsDock_->bringUp();
    const QWidget* button = runs_->viewButton();
    runs_->viewMenu()->popup(button->mapToGlobal(button->rect().bottomLeft()));
  });
  addEverywhere("log.filter", tr("Filter the log"), "", [this] {
    bringUpLog();
    log_->focusFilter();
  });
  addEverywhere("log.alerts", tr("Show the alerts"), "", [this] { showAlerts(); });
  addEverywhere("window.escape", tr("Clear the filter, dismiss a message"), "Esc",
                [this] { escape(); });
  addEverywhere("window.menu", tr("Menu"), "F10", [this] { topBar_->openMenu(); });
  addEverywhere("window.full_screen", tr("Full screen"), "F11",
                [this] { isFullScreen() ? showNormal() : showFullScreen(); });
  runActions_.duplicate = addEverywhere("run.duplicate", tr("Duplicate the run's configuration"),
                                        "Ctrl+D", [this] { openCopyOfRun(runs_->currentRun()); });
  addMonitorActions();
}

void MainWindow::addMonitorActions() {
  // Single letters work on the Monitor page only; a focused text field handles them first.
  const auto add = [this](const char* id, const QString& text, const QKeySequence& key,
                          const std::function<void()>& act) {
    monitorActions_.append(widgets::addNamedAction(
        this, widgets::ActionPlace::Monitor, id, text,
        key.isEmpty() ? QList<QKeySequence>() : QList<QKeySequence>{key}, act));
  };
  MonitorPage* page = monitorPage();
  add("monitor.log_y", tr("Log-scale Y"), Qt::Key_L, [page] { page->toggleLogY(); });
  add("monitor.log_x", tr("Log-scale X"), Qt::Key_X, [page] { page->toggleLogX(); });
  add("monitor.smoothing", tr("Smoothing on or off"), Qt::Key_S,
      [page] { page->tools()->toggleSmoothing(); });
  add("monitor.outliers", tr("Ignore outliers"), Qt::Key_O, [page] { page->toggleOutliers(); });
  add("monitor.reset_zoom", tr("Reset zoom"), Qt::Key_R, [page] { page->resetViews(); });
  add("monitor.groups", tr("Groups of runs as mean and deviation, or each run"), Qt::Key_G,
      [page] { page->toggleGroups(); });
  add("monitor.range", tr("Begin, end or remove a range at the cursor"), Qt::Key_B,
      [page] { page->range()->toggle(); });
  add("monitor.show_curves", tr("Show all hidden curves, runs and marks"), QKeySequence(),
      [page] { page->showAllCurves(); });
  add("monitor.zoom_back", tr("Zoom back"), Qt::Key_BracketLeft,
      [page] { page->zoom()->goBack(); });
  add("monitor.zoom_forward", tr("Zoom forward"), Qt::Key_BracketRight,
      [page] { page->zoom()->goForward(); });
  add("monitor.link_zoom", tr("Link or unlink the zoom of the cards"), QKeySequence(),
      [page] { page->zoom()->setLinked(!page->zoom()->isLinked()); });
  add("monitor.search", tr("Search cards"), QKeySequence::Find,
      [page] { page->tools()->focusSearch(); });
  add("monitor.export", tr("Export…"), Qt::CTRL | Qt::Key_E, [this] { exportCurves(nullptr); });
  const auto addForCards = [&](const char* id, const QString& text, const QKeySequence& key,
                               const std::function<void(CardSections*)>& act) {
    add(id, text, key, [page, act] {
      if (!page->cards().empty()) act(page->sections());
    });
  };
  addForCards("monitor.card_width", tr("Width of a card: 1, 2 or all columns"), Qt::Key_W,
              &CardSections::changeWidth);
  addForCards("monitor.card_height", tr("Height of a card: 1, 2 or 3 rows"), Qt::Key_H,
              &CardSections::changeHeight);
  addForCards("monitor.card_back", tr("Move a card back"), Qt::ALT | Qt::Key_Left,
              [](CardSections* sections) { sections->moveBy(-1); });
  addForCards("monitor.card_forward", tr("Move a card forward"), Qt::ALT | Qt::Key_Right,
              [](CardSections* sections) { sections->moveBy(1); });
  addForCards("monitor.reset_cards", tr("Default sizes and order of the cards"), QKeySequence(),
              &CardSections::resetArrangement);
  add("monitor.maximize", tr("Maximize a card"), Qt::Key_F, [page] { page->toggleMaximized(); });
}

void MainWindow::escape() {
  const QWidget* focused = QApplication::focusWidget();
  if (tour_ && (tour_->hasFocus() || (focused && tour_->isAncestorOf(focused)))) {
    tour_->close();
    return;
  }
  if (page() == Page::Monitor && (monitorPage()->range()->clear() || monitorPage()->endMaximized()))
    return;
  if (runs_->clearFilter()) return;
  if (isFullScreen()) {
    showNormal();
  } else if (tour_) {
    tour_->close();
  } else {
    pages_->dismissMessage();
  }
}

}  // namespace lockstep::app
