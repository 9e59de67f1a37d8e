// Menu and keyboard of the window.
#include <QAction>
#include <QActionGroup>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QSettings>
#include <QShortcut>

#include "app/configure/configure_page.h"
#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/frame/shortcut_sheet.h"
#include "app/frame/status_strip.h"
#include "app/frame/top_bar.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/runs_panel.h"
#include "widgets/jobs/awaited.h"

namespace lockstep::app {

QMenu* MainWindow::buildMenu() {
  auto* menu = new QMenu(this);
  menu->addAction(tr("Open experiment…"), QKeySequence(QStringLiteral("Ctrl+O")), this,
                  &MainWindow::openWithDialog);
  documentActions_.save =
      menu->addAction(tr("Save experiment"), QKeySequence(QStringLiteral("Ctrl+S")), this,
                      [this] { configurePage()->save(); });
  documentActions_.saveAs =
      menu->addAction(tr("Save experiment as…"), QKeySequence(QStringLiteral("Ctrl+Shift+S")), this,
                      [this] { configurePage()->saveAs(); });
  menu->addMenu(buildDraftMenu(menu));
  menu->addAction(tr("Open folder of runs…"), QKeySequence(QStringLiteral("Ctrl+Shift+O")), this,
                  &MainWindow::openRunsFolder);
  menu->addAction(tr("Add another folder of runs…"), this, &MainWindow::addRunsFolder);
  menu->addSeparator();
  documentActions_.train = menu->addAction(tr("Train"), QKeySequence(QStringLiteral("Ctrl+Return")),
                                           this, &MainWindow::train);
  documentActions_.queue =
      menu->addAction(tr("Add to the queue"), QKeySequence(QStringLiteral("Ctrl+Shift+Return")),
                      this, &MainWindow::addToQueue);
  runActions_.pause =
      menu->addAction(tr("Pause or resume"), QKeySequence(QStringLiteral("Ctrl+Shift+P")), this,
                      &MainWindow::togglePause);
  runActions_.checkpoint = menu->addAction(tr("Save a checkpoint now"), this, [this] {
    if (RunController* run = currentRun()) run->saveCheckpoint();
  });
  runActions_.stop = menu->addAction(tr("Stop"), QKeySequence(QStringLiteral("Ctrl+.")), this,
                                     &MainWindow::stopRun);
  menu->addSeparator();
  buildThemeMenu(menu->addMenu(tr("Theme")));
  QMenu* panels = menu->addMenu(tr("Panels"));
  for (QDockWidget* dock : {runsDock_, logDock_}) panels->addAction(dock->toggleViewAction());
  panels->addSeparator();
  panels->addAction(tr("Reset layout"), this, [this] {
    for (QDockWidget* dock : {runsDock_, logDock_}) dock->show();
    placeDocks();
  });
  menu->addAction(tr("Keyboard shortcuts"), QKeySequence(QStringLiteral("F1")), this,
                  [this] { showShortcutSheet(this); });
  menu->addSeparator();
  menu->addAction(tr("Close the window (runs keep training)"),
                  QKeySequence(QStringLiteral("Ctrl+Q")), this, &QWidget::close);
  // Shortcuts of a closed menu work only if the window has the actions, too.
  addActions(menu->actions());
  return menu;
}

void MainWindow::openRunsFolder() {
  const QString folder = QFileDialog::getExistingDirectory(
      this, tr("Folder of runs"), jobs::folderToBeginWith(runList_->parentFolder()));
  if (folder.isEmpty()) return;
  runList_->setParentFolders({folder});
  status_->setRunsFolder(folder);
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
  for (const OrphanedDraft& draft : left) {
    const QString name = QFileInfo(draft.draft.shownPath).fileName();
    const QString time = QLocale().toString(draft.draft.edited, QLocale::ShortFormat);
    QAction* action =
        menu->addAction(QStringLiteral("%1, %2").arg(name, time), this, [this, id = draft.id] {
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
  const QList<QPair<QString, Mode>> modes{
      {tr("System"), Mode::System}, {tr("Light"), Mode::Light}, {tr("Dark"), Mode::Dark}};
  for (const auto& [title, mode] : modes) {
    QAction* action = menu->addAction(title);
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

void MainWindow::addShortcuts() {
  auto add = [this](const QString& keys, auto slot) {
    return connect(new QShortcut(QKeySequence(keys), this), &QShortcut::activated, this, slot);
  };
  add(QStringLiteral("Ctrl+1"), [this] { showPage(Page::Configure); });
  add(QStringLiteral("Ctrl+2"), [this] { showPage(Page::Monitor); });
  add(QStringLiteral("Ctrl+3"), [this] { showPage(Page::Predictions); });
  add(QStringLiteral("/"), [this] { runs_->focusFilter(); });
  add(QStringLiteral("Esc"), [this] { escape(); });
  add(QStringLiteral("?"), [this] { showShortcutSheet(this); });
  add(QStringLiteral("F10"), [this] { topBar_->openMenu(); });
  add(QStringLiteral("F11"), [this] { isFullScreen() ? showNormal() : showFullScreen(); });
  add(QStringLiteral("Ctrl+D"), [this] {
    const QString run = runs_->currentRun();
    if (!run.isEmpty()) openCopyOfRun(run);
  });
  addMonitorShortcuts();
}

void MainWindow::addMonitorShortcuts() {
  // Single letters work on the Monitor page only; a focused text field handles them first.
  const auto add = [this](const QString& key, auto* receiver, auto slot) {
    auto* shortcut = new QShortcut(QKeySequence(key), this);
    connect(shortcut, &QShortcut::activated, receiver, slot);
    monitorShortcuts_.append(shortcut);
  };
  add(QStringLiteral("L"), monitorPage(), &MonitorPage::toggleLogY);
  add(QStringLiteral("X"), monitorPage(), &MonitorPage::toggleLogX);
  add(QStringLiteral("S"), monitorPage()->tools(), &CurveTools::toggleSmoothing);
  add(QStringLiteral("O"), monitorPage(), &MonitorPage::toggleOutliers);
  add(QStringLiteral("R"), monitorPage(), &MonitorPage::resetViews);
  add(QStringLiteral("F"), monitorPage(), &MonitorPage::toggleMaximized);
}

void MainWindow::escape() {
  if (runs_->clearFilter()) return;
  if (isFullScreen()) {
    showNormal();
  } else {
    pages_->dismissMessage();
  }
}

}  // namespace lockstep::app
