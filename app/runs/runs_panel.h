#pragma once

#include <QSet>
#include <QTimer>
#include <QWidget>

#include "app/models/run_filter.h"

class QItemSelection;
class QLabel;
class QLineEdit;
class QListView;
class QStackedLayout;

namespace lockstep::widgets {
class EmptyState;
}

namespace lockstep::app {

class RunListModel;

/// The left dock: filter and list of runs. The current run is shown in the top bar and on the
/// Predictions page; all selected runs are compared. The filter hides rows but keeps the selection.
class RunsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit RunsPanel(RunListModel* model, QWidget* parent = nullptr);

  QString currentRun() const { return current_; }
  /// The current run is hidden by the filter.
  bool isCurrentHidden() const { return isCurrentHidden_; }
  /// The current run is first.
  QStringList selectedRuns() const;
  /// Selects only this run, as soon as it is in the list.
  void selectRun(const QString& folder);
  /// Not even the newest run, once the list is loaded.
  void selectNothing() { choseFirst_ = true; }
  void addToSelection(const QString& folder);
  void focusList();
  void focusFilter();
  /// True if there was a filter to clear.
  bool clearFilter();
  /// Why a run cannot be resumed, and which command would continue it; empty: it can.
  static QString resumeBlockedBy(const QModelIndex& run);

 Q_SIGNALS:
  /// The current run or the selection changed.
  void selectionChanged();
  void currentHiddenChanged();
  void resumeRequested(const QString& folder);
  void copyConfigRequested(const QString& folder);
  void emptyActionTriggered();

 private:
  void buildUi();
  void connectSignals();
  void updateSelection();
  /// Applies the filter to the rows first … last.
  void applyFilter(int first, int last);
  void applyFilterText();
  void deselectHiddenRows(const QItemSelection& selected);
  int hiddenCount() const;
  void updateHiddenNote();
  void updateListingError();
  void selectPending();
  void updateEmptyState();
  void openMenu(const QPoint& position);

  RunListModel* model_;
  RunFilter filter_;
  QLineEdit* filterText_ = nullptr;
  QLabel* hiddenNote_ = nullptr;  ///< how many runs the filter hides
  QLabel* listingError_ = nullptr;
  QListView* list_ = nullptr;
  QStackedLayout* stack_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
  QTimer debounce_;
  QString current_;
  QStringList pending_;        ///< to be selected once they are listed
  QSet<QString> alwaysShown_;  ///< requested since the filter was set, which does not hide them
  bool isCurrentHidden_ = false;
  bool choseFirst_ = false;
  bool isSelecting_ = false;  ///< the selection is changed by this class, not by the user
};

}  // namespace lockstep::app
