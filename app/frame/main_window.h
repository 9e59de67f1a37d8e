#pragma once

#include <QHash>
#include <QList>
#include <QMainWindow>
#include <QPointer>
#include <QSize>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QVariantMap>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/configure/experiment_origin.h"
#include "app/configure/run_choice.h"
#include "app/engines/engine_process.h"
#include "app/frame/page.h"
#include "app/runs/list/remote_runs.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/open/open_runs.h"
#include "app/runs/open/shown_run.h"
#include "widgets/jobs/jobs.h"
#include "widgets/theme.h"

class QAction;
class QMenu;

namespace lockstep::widgets {
class CurveCard;
enum class ExportKind;
}  // namespace lockstep::widgets

namespace lockstep::app {

class BusyDevices;
class CommandConsent;
class CommandPalette;
class ComparePage;
class ConfigurePage;
class DataPage;
class DesktopNotice;
class Dock;
class Dismissals;
class ForkDialog;
class Inspector;
class KeptWidth;
class LogPanel;
class MonitorPage;
class NotesStore;
class PageArea;
class PredictionsPage;
class NewExperimentDialog;
class RecentFiles;
class RunTrash;
class RunsPanel;
class StatusStrip;
class Tour;
class TopBar;
struct Exportable;
struct OrphanedDraft;
struct Session;
enum class PathKind;
struct Opening;

struct MainWindowOptions {
  /// Absolute: runs, experiment files, folders of runs; or addresses (RemotePlace).
  QStringList paths;
  std::optional<Page> page;  ///< nothing: chosen by the kind of the paths
  QSize size;                ///< empty: the saved size
  widgets::ThemeSwitch::Mode theme = widgets::ThemeSwitch::Mode::System;
  bool themeGiven = false;
  bool keepLayout = true;  ///< restore and save layout and theme; off for screenshots and tests
  QString draftFolder;     ///< where unsaved edits are backed up; empty: nowhere (screenshots)
};

/// The window: creates its widgets and controllers, and connects them in connectSignals().
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow(widgets::ThemeSwitch* theme, const MainWindowOptions& options);
  ~MainWindow() override;

  void showPage(Page page);
  Page page() const;
  /// The current page has loaded all that it shows.
  bool isReady() const;
  QString whatIsLoading() const;
  ConfigurePage* configurePage();
  MonitorPage* monitorPage() const;
  PredictionsPage* predictionsPage();
  DataPage* dataPage();
  ComparePage* comparePage();
  RunsPanel* runsPanel() const { return runs_; }

 public Q_SLOTS:
  void train();
  /// Trains the experiment when its devices are free.
  void addToQueue();
  /// Starts a learning-rate range test of the experiment.
  void findLearningRate();
  /// Asks what a new experiment begins from.
  void newExperiment(lockstep::app::ExperimentOrigin origin);
  void togglePause();
  void pauseRun();
  /// Continues a paused run, or starts one that has ended again from its latest checkpoint.
  void resumeCurrentRun();
  void stopRun();
  /// Backs up unsaved edits without asking, because the session ends.
  void keepDrafts();

 Q_SIGNALS:
  void readyChanged();

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool event(QEvent* event) override;
  bool focusNextPrevChild(bool next) override;

 private:
  void buildUi();
  void buildDocks();
  QList<Dock*> docks() const;
  /// As they are before anybody moves them.
  void placeDocks();
  void resetDocks();
  void makeRoomFor(Dock* dock);
  void fitLog();
  void foldLog(bool isFolded);
  void bringUpLog();
  QMenu* buildMenu();
  QMenu* buildDraftMenu(QWidget* parent);
  QMenu* buildRecentMenu(QWidget* parent);
  void addExperimentActions(QMenu* menu);
  void fillDraftMenu(QMenu* menu, const QList<OrphanedDraft>& left);
  void buildThemeMenu(QMenu* menu);
  QAction* addNoticeAction();
  void buildRunActions(QMenu* menu);
  void buildPanelMenu(QMenu* menu);
  void showPalette();
  void addRunsTo(CommandPalette* palette);
  void showShortcuts();
  void connectSignals();
  void connectRuns();
  void connectConfigurePage(ConfigurePage* page);
  void connectRun(RunController* run);
  void addNamedActions();
  void addMonitorActions();
  /// nullptr: the page.
  void exportCurves(widgets::CurveCard* card);
  /// Of Predictions or Compare, whichever is shown.
  void exportResults(widgets::ExportKind kind);
  void askForExport(std::vector<Exportable> choices, int chosen);
  /// `keys`: "F1; ?"
  QAction* addEverywhere(const char* id, const QString& text, const char* keys,
                         const std::function<void()>& act);
  void restoreLayout();
  void keepDismissals(Dismissals* dismissals, const QString& key);
  void saveLayout() const;
  QAction* addSessionAction();
  std::optional<Session> keptSession() const;
  std::optional<Session> sessionToRestore() const;
  bool isOfGivenRuns(const Session& session) const;
  void saveSession() const;
  void keepLayoutSoon();
  void connectLayoutTimer();
  void restoreSession(const Session& session);
  void restoreViews(const Session& session);
  void reopenExperiments(const QStringList& files);
  /// Of an earlier session, and no longer there.
  void showGone(const QStringList& paths);
  void loadSplitters();
  void restoreSplitters();
  void saveSplitters() const;
  QString folderKey(const char* what) const;
  void restoreFolderView();
  void openInitial();
  bool isListLoaded() const;
  void open(const Opening& opening);
  void openLate(const QString& path, PathKind kind);
  void openRemote(const RemotePlace& place, bool selects);
  void packRun(const QString& folder);
  void savePackedRun(const QString& folder, bool withWeights);
  void openPackedRun();
  void connectExperiments();
  void showRecent();
  void noteOpened(const QString& path);
  void reopenLast();
  void openPrepared(const QString& file, ExperimentOrigin origin);
  QList<RunChoice> ownRuns() const;
  void chooseComparison();
  /// A range test that has ended.
  bool isRangeTest(const RunController& run) const;
  void offerLearningRate(RunController* run);
  void showRangeTest(const QString& folder, const QString& file);
  void forkRun(const QString& folder);
  /// Proposes a change, KEY=VALUE, and the last checkpoint up to this step.
  void forkRunWith(const QString& folder, const QString& change, qint64 step);
  /// `prepare`: fills the dialog before it is shown.
  void askForFork(const QString& folder, const std::function<void(ForkDialog&)>& prepare);
  ForkDialog* openForkDialog(const QString& folder, const std::vector<std::int64_t>& steps);
  void showWaiting();
  struct LeftDrafts;
  void restoreDrafts(const LeftDrafts& left, bool isPlainStart);
  void openCopyOfRun(const QString& folder);
  /// With a change, KEY=VALUE, as an edit that can be undone.
  void openCopyWith(const QString& folder, const QString& change);
  void openCopyFromElsewhere(const QString& address);
  void openWithDialog();
  void openRunsFolder();
  void addRunsFolder();
  void handlePageShown(Page page);
  void focusPage();
  QStringList runsToShow();
  void showNames();
  base::OpenEnum<protocol::RunState> stateOf(const RunController& run) const;
  void showSelection();
  void showOtherGroups();
  void showAlerts();
  void showLog();
  void updateStatus();
  void updateTrainable();
  QString workerMissingText() const;
  void updateTitle();
  void resumeRun(const QString& folder, const QStringList& overrides,
                 EngineProcess::When when = EngineProcess::When::Now);
  /// Calls `start` once the user allows the commands that the run's experiment has with these
  /// overrides.
  void startWithConsent(const QString& folder, const QStringList& overrides,
                        const std::function<void()>& start);
  /// The experiment file as it is now; empty: it has errors, which are shown, or was cancelled.
  QString fileToTrain();
  void startTraining(EngineProcess::When when);
  void connectQueue();
  void connectNotes();
  void showTrashed(const QStringList& folders, const QString& failure);
  void askEngine(const QString& folder, const protocol::ClientMessage& request,
                 const QString& failure);
  void setStarting(bool starting);
  RunController* currentRun() const;
  void escape();
  QAction* addTourAction();
  void showTour();
  void offerTour();

  widgets::ThemeSwitch* theme_;
  MainWindowOptions options_;
  RunListModel* runList_ = nullptr;
  OpenRuns* openRuns_ = nullptr;
  std::vector<RemoteRuns*> remoteRuns_;
  QStringList gone_;                ///< of the earlier session
  QVariantMap splitters_;           ///< states by name, of those that are not made yet
  QStringList waitingPaths_;        ///< paths of the start whose disks have not answered yet
  QStringList waitingExperiments_;  ///< of the earlier session, likewise
  bool isPatienceOver_ = false;     ///< with them
  bool hasRunsFolder_ = false;      ///< the folders of runs are not the usual one
  EngineProcess* engine_ = nullptr;
  std::unique_ptr<CommandConsent> consent_;
  BusyDevices* devices_ = nullptr;
  NotesStore* notes_ = nullptr;
  RunTrash* trash_ = nullptr;
  RecentFiles* recent_ = nullptr;
  DesktopNotice* notice_ = nullptr;
  TopBar* topBar_ = nullptr;
  RunsPanel* runs_ = nullptr;
  PageArea* pages_ = nullptr;
  LogPanel* log_ = nullptr;
  Inspector* inspector_ = nullptr;
  StatusStrip* status_ = nullptr;
  std::vector<ShownRun> shownRuns_;  ///< the current one first
  Dock* runsDock_ = nullptr;
  KeptWidth* runsWidth_ = nullptr;
  std::optional<bool> foldsLog_;  ///< as a person chose; else by the window's height
  bool needsLog_ = false;         ///< until it is folded: a person has looked for something in it
  Dock* logDock_ = nullptr;
  Dock* inspectorDock_ = nullptr;
  Dock* devicesDock_ = nullptr;
  QPointer<Tour> tour_;
  QList<QAction*> monitorActions_;
  QStringList lastActions_;  ///< ids of those chosen in the palette, the latest first
  struct RunActions {
    QAction* pause = nullptr;
    QAction* checkpoint = nullptr;
    QAction* evaluate = nullptr;
    QAction* stop = nullptr;
    QAction* duplicate = nullptr;
    QAction* fork = nullptr;
    QAction* pack = nullptr;
    QAction* rangeTest = nullptr;
  };
  RunActions runActions_;  ///< menu actions on the current run
  struct DocumentActions {
    QAction* save = nullptr;
    QAction* saveAs = nullptr;
    QAction* next = nullptr;
    QAction* close = nullptr;
    QAction* check = nullptr;
    QAction* train = nullptr;
    QAction* queue = nullptr;
    QAction* rangeTest = nullptr;
    QList<QAction*> recent;
  };
  DocumentActions documentActions_;     ///< menu actions on the open experiment
  QHash<QString, QString> rangeTests_;  ///< experiment file by run folder, until they have ended
  QString rangeTested_;                 ///< experiment file of the one that is starting
  QTimer layoutTimer_;   ///< runs from a change of the layout or the session until it is saved
  jobs::Job packing_;    ///< what a run takes as one file is counted, before it is asked for
  QString noFaults_;     ///< title of the message of the last check of data and weights
  QString startedFile_;  ///< path of the document that was started last; empty: a run was
};

}  // namespace lockstep::app
