#pragma once

#include <QMainWindow>
#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>

#include "app/controllers/engine_process.h"
#include "app/controllers/open_runs.h"
#include "app/controllers/shown_run.h"
#include "app/models/run_list_model.h"
#include "widgets/theme.h"

class QAction;
class QDockWidget;
class QHBoxLayout;
class QMenu;
class QShortcut;
class QStackedWidget;
class QTabBar;

namespace lockstep::widgets {
class Banner;
}

namespace lockstep::app {

class ConfigurePage;
class Dismissals;
class DocumentBanner;
class LogPanel;
class MonitorPage;
class PredictionsPage;
class RunBanner;
class RunsPanel;
class StatusStrip;
class TopBar;

struct MainWindowOptions {
  QStringList paths;  ///< absolute: runs, experiment files, folders of runs
  QString page;       ///< configure | monitor | predictions; empty: by the paths
  QSize size;         ///< empty: as kept
  widgets::ThemeSwitch::Mode theme = widgets::ThemeSwitch::Mode::System;
  bool themeGiven = false;
  bool keepLayout = true;  ///< restore and save layout and theme; pictures and tests do not
  QString draftFolder;     ///< where unsaved edits are kept; empty: nowhere (pictures)
};

/// The window: creates every part and wires them in connectSignals().
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  enum class Page { Configure, Monitor, Predictions };
  MainWindow(widgets::ThemeSwitch* theme, const MainWindowOptions& options);
  ~MainWindow() override;

  void showPage(Page page);
  Page page() const;
  /// The page in front shows what was asked for.
  bool isReady() const;
  QString whatIsLoading() const;
  ConfigurePage* configurePage();
  MonitorPage* monitorPage() const { return monitor_; }
  PredictionsPage* predictionsPage();
  RunsPanel* runsPanel() const { return runs_; }

 public Q_SLOTS:
  void train();
  void togglePause();
  void stopRun();
  /// The session ends, nobody can be asked: unsaved edits are kept for the next start.
  void keepDrafts();

 Q_SIGNALS:
  void readyChanged();

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildUi();
  QWidget* buildCentre();
  void buildDocks();
  QMenu* buildMenu();
  QMenu* buildDraftMenu(QWidget* parent);
  void buildThemeMenu(QMenu* menu);
  void connectSignals();
  void connectConfigurePage();
  void connectRun(RunController* run);
  void addShortcuts();
  void addMonitorShortcuts();
  void restoreLayout();
  void keepDismissals(Dismissals* dismissals, const QString& key);
  void saveLayout() const;
  void resetLayout();
  void openPaths();
  void bringBackDrafts(bool isFree);
  void openCopyOfRun(const QString& folder);
  void openWithDialog();
  void focusPage();
  void showSelection();
  void updateStatus();
  void updateTrainable();
  void updateTitle();
  void showRunFaults();
  void tellOfVanishedRuns(const QStringList& folders);
  void resumeRun(const QString& folder, const QStringList& overrides);
  bool isOwnKey(QKeyCombination keys) const;
  void showFailure(const QString& title, const QString& detail);
  void setStarting(bool starting);
  RunController* currentRun() const;
  void showPredictionsAt(qint64 step);
  void escape();

  widgets::ThemeSwitch* theme_;
  MainWindowOptions options_;
  RunListModel* runList_ = nullptr;
  OpenRuns* openRuns_ = nullptr;
  EngineProcess* engine_ = nullptr;
  TopBar* topBar_ = nullptr;
  RunsPanel* runs_ = nullptr;
  QTabBar* tabs_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  ConfigurePage* configure_ = nullptr;  ///< made when it is shown for the first time
  MonitorPage* monitor_ = nullptr;
  PredictionsPage* predictions_ = nullptr;  ///< likewise
  LogPanel* log_ = nullptr;
  StatusStrip* status_ = nullptr;
  widgets::Banner* banner_ = nullptr;
  DocumentBanner* documentBanner_ = nullptr;
  RunBanner* runBanner_ = nullptr;
  QWidget* runPagesHead_ = nullptr;  ///< over the pages that show runs
  std::vector<ShownRun> shownRuns_;  ///< the leading one first
  QDockWidget* runsDock_ = nullptr;
  QDockWidget* logDock_ = nullptr;
  QList<QShortcut*> monitorShortcuts_;
  struct RunActions {
    QAction* pause = nullptr;
    QAction* checkpoint = nullptr;
    QAction* stop = nullptr;
  };
  RunActions runActions_;  ///< of the menu, on the chosen run
  struct DocumentActions {
    QAction* save = nullptr;
    QAction* saveElsewhere = nullptr;
    QAction* train = nullptr;
  };
  DocumentActions documentActions_;  ///< of the menu, on the experiment that is open
};

}  // namespace lockstep::app
