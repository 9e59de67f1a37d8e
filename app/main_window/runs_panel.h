#pragma once

#include <QSortFilterProxyModel>
#include <QTimer>
#include <QWidget>

class QLineEdit;
class QListView;
class QStackedLayout;

namespace lockstep::widgets {
class EmptyState;
}

namespace lockstep::app {

class RunListModel;

/// Keeps rows whose name or state contains the text, or matches /regex/.
class RunFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  /// False when the text is a /regex/ that does not compile; the rows then stay as they were.
  bool setFilterText(const QString& text);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
};

/// The left dock: filter and list of runs. The current run leads (top bar, predictions); all
/// selected ones are compared.
class RunsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit RunsPanel(RunListModel* model, QWidget* parent = nullptr);

  QString currentRun() const { return current_; }
  /// Current one first.
  QStringList selectedRuns() const;
  /// Selects this run alone; it may come into the list later.
  void selectRun(const QString& folder);
  void addToSelection(const QString& folder);
  void focusList();
  void focusFilter();
  /// True when there was a filter to clear.
  bool clearFilter();

 Q_SIGNALS:
  /// Another current run or another selection.
  void selectionChanged();
  void resumeRequested(const QString& folder);
  void copyConfigRequested(const QString& folder);
  void emptyActionTriggered();

 private:
  void buildUi();
  void connectSignals();
  void takeSelection();
  void selectWanted();
  void updateEmptyState();
  void openMenu(const QPoint& position);

  RunListModel* model_;
  RunFilter* proxy_ = nullptr;
  QLineEdit* filter_ = nullptr;
  QListView* list_ = nullptr;
  QStackedLayout* stack_ = nullptr;
  widgets::EmptyState* empty_ = nullptr;
  QTimer debounce_;
  QString current_;
  QStringList wanted_;  ///< to be selected once they are listed
  bool choseFirst_ = false;
};

}  // namespace lockstep::app
