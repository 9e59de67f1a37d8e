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

/// The left dock: filter and list of runs. The current run leads (top bar, predictions); all
/// selected ones are compared. The filter hides rows and leaves the selection as it is.
class RunsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit RunsPanel(RunListModel* model, QWidget* parent = nullptr);

  QString currentRun() const { return current_; }
  /// The filter hides it.
  bool isCurrentHidden() const { return isCurrentHidden_; }
  /// Current one first.
  QStringList selectedRuns() const;
  /// Selects this run alone; it may come into the list later.
  void selectRun(const QString& folder);
  void addToSelection(const QString& folder);
  void focusList();
  void focusFilter();
  /// True when there was a filter to clear.
  bool clearFilter();
  /// Why there is nothing to resume of a run, and what would go on with it; empty: there is.
  static QString resumeBlockedBy(const QModelIndex& run);

 Q_SIGNALS:
  /// Another current run or another selection.
  void selectionChanged();
  void currentHiddenChanged();
  void resumeRequested(const QString& folder);
  void copyConfigRequested(const QString& folder);
  void emptyActionTriggered();

 private:
  void buildUi();
  void connectSignals();
  void takeSelection();
  /// Rows first to last.
  void applyFilter(int first, int last);
  void takeFilterText();
  void deselectHiddenRows(const QItemSelection& selected);
  int hiddenCount() const;
  void updateHiddenNote();
  void updateListingFault();
  void selectPending();
  void updateEmptyState();
  void openMenu(const QPoint& position);

  RunListModel* model_;
  RunFilter filter_;
  QLineEdit* filterText_ = nullptr;
  QLabel* hiddenNote_ = nullptr;  ///< how many the filter hides
  QLabel* listingFault_ = nullptr;
  QListView* list_ = nullptr;
  QStackedLayout* stack_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
  QTimer debounce_;
  QString current_;
  QStringList pending_;        ///< to be selected once they are listed
  QSet<QString> alwaysShown_;  ///< asked for since the filter was set: it does not hide them
  bool isCurrentHidden_ = false;
  bool choseFirst_ = false;
  bool isSelecting_ = false;  ///< here, not the user in the list
};

}  // namespace lockstep::app
