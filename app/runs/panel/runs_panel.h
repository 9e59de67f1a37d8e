#pragma once

#include <QSet>
#include <QTimer>
#include <QVariantMap>
#include <QWidget>
#include <functional>
#include <utility>
#include <vector>

#include "app/runs/list/run_facts.h"
#include "app/runs/list/run_filter.h"
#include "engine/run_folder/run_notes.h"

class QAction;
class QItemSelection;
class QLabel;
class QLineEdit;
class QStackedLayout;
class QToolButton;

namespace lockstep::widgets {
class EmptyState;
}

namespace lockstep::app {

class RunListModel;
class RunMenu;
class RunTree;
class RunTreeView;
class RunViewMenu;

/// The left dock: filter and list of runs. The current run is shown in the top bar and on the
/// Predictions page; all selected runs are compared. The filter hides runs but keeps them selected.
class RunsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit RunsPanel(RunListModel* model, QWidget* parent = nullptr);

  RunListModel* model() const { return model_; }
  /// Columns, order and groups of the list; the caller places it.
  QToolButton* viewButton() const { return viewButton_; }
  /// What its button opens.
  RunViewMenu* viewMenu() const { return viewMenu_; }
  QString currentRun() const { return current_; }
  /// The current run is hidden by the filter.
  bool isCurrentHidden() const { return isCurrentHidden_; }
  /// The current run is first.
  QStringList selectedRuns() const;
  /// Place of a selected run in the order of their selection.
  int placeInSelection(const QString& folder) const {
    return static_cast<int>(selected_.indexOf(folder));
  }
  /// Title of the run's section; empty: it is in none.
  QString groupOf(const QString& folder) const;
  /// How the list is shown, for the settings.
  QVariantMap viewState() const;
  void restoreViewState(const QVariantMap& state);
  /// As in RunViewMenu::groupBy().
  void groupBy(const QString& by);
  /// Selects only this run, as soon as it is in the list.
  void selectRun(const QString& folder);
  /// False: it is not selected. The others stay selected.
  bool makeCurrent(const QString& folder);
  /// Not even the newest run, once the list is loaded.
  void selectNothing() { choseFirst_ = true; }
  void addToSelection(const QString& folder);
  /// Enables the action that emits restoreRequested().
  void setRestorable(bool isRestorable);
  void focusList();
  void focusFilter();
  /// True if there was a filter to clear.
  bool clearFilter();
  /// Why a run cannot be resumed, and what would continue it; empty: it can.
  static QString resumeBlockedBy(const QModelIndex& run);
  void editName(const QString& folder);
  /// Of the current run; nullptr: there is none in the list. For the caller to delete.
  RunMenu* makeMenu();
  /// Up (-1) or down (1) in the queue, past one that is shown there.
  void moveInQueue(const QString& folder, int change);
  bool canMoveInQueue(const QString& folder, int change) const;

 Q_SIGNALS:
  /// The current run or the selection changed.
  void selectionChanged();
  /// What runs are grouped by, by a person.
  void groupingChosen(const QString& by);
  /// Rows came, went or moved, perhaps to another section.
  void arranged();
  void currentHiddenChanged();
  void resumeRequested(const QString& folder);
  /// To be resumed when its devices are free.
  void queueRequested(const QString& folder);
  void copyConfigRequested(const QString& folder);
  /// A new run from one of its checkpoints.
  void forkRequested(const QString& folder);
  void packRequested(const QString& folder);
  /// Of a run that trains.
  void evaluationRequested(const QString& folder);
  /// Of the two selected runs.
  void comparisonRequested();
  void emptyActionTriggered();
  /// To a position from 1 among all runs that wait on this machine.
  void queueMoveRequested(const QString& folder, int position);
  void leaveQueueRequested(const QString& folder);
  void notesChangeRequested(const QStringList& folders,
                            const lockstep::run_folder::NotesChange& change);
  void trashRequested(const QStringList& folders);
  /// What was moved to the trash last is wanted back.
  void restoreRequested();
  /// Vanished runs, which leave the list.
  void dismissRequested(const QStringList& folders);
  /// An index of widgets::runStyle().
  void styleRequested(const QString& folder, int style);

 private:
  void buildUi();
  void connectSignals();
  /// The selected runs that the filter does not hide.
  QStringList selectedInView() const;
  void unfoldNewRuns();
  /// The user changed the selection of what is shown.
  void takeSelection();
  void takeCurrent();
  /// Selects in the view what is selected and shown.
  void showSelection();
  void dropRemovedRuns();
  void setSelection(const QStringList& runs, const QString& current);
  void applyFilterText();
  void updateFilter();
  void updateHiddenNote();
  void updateListingError();
  void selectPending();
  void updateEmptyState();
  void openMenu(const QPoint& position);
  void addNamedActions();
  void updateActions();
  /// Position of the run beside a queued one; invalid: there is none.
  QVariant positionBeside(const QString& folder, int change) const;
  bool needsFacts() const;
  void wantFacts();
  void updateFilterFault();

  RunListModel* model_;
  RunTree* tree_;
  RunFacts facts_;
  RunFilter filter_;
  QLineEdit* filterText_ = nullptr;
  QLabel* filterFault_ = nullptr;
  QLabel* hiddenNote_ = nullptr;  ///< how many runs the filter hides
  QLabel* listingError_ = nullptr;
  RunTreeView* list_ = nullptr;
  QToolButton* viewButton_ = nullptr;
  RunViewMenu* viewMenu_ = nullptr;
  QStackedLayout* stack_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
  /// Actions of the list, with their conditions.
  std::vector<std::pair<QAction*, std::function<bool()>>> actions_;
  QAction* restore_ = nullptr;
  QTimer debounce_;
  QStringList selected_;       ///< in the order of their selection
  QString current_;            ///< one of them; empty: none
  QStringList pending_;        ///< to be selected once they are listed
  QStringList newRuns_;        ///< their groups are expanded once they are listed
  QSet<QString> alwaysShown_;  ///< requested since the filter was set, which does not hide them
  bool isCurrentHidden_ = false;
  bool choseFirst_ = false;
  bool replacesSelection_ = false;  ///< by the pending runs
  bool isSelecting_ = false;  ///< the view's selection is changed by this class, not by the user
};

}  // namespace lockstep::app
