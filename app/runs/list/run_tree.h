#pragma once

#include <QAbstractItemModel>
#include <QHash>
#include <QTimer>
#include <functional>
#include <optional>
#include <vector>

#include "app/runs/list/run_columns.h"

namespace lockstep::app {

class RunListModel;

/// The runs of a list for a view: filtered, sorted, and in sections when they are grouped or some
/// wait in the queue, which is the first section then. Without sections the runs are at the top
/// level. Runs that the filter hides are not in it: who selects runs by their folder keeps them.
class RunTree : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Role {
    /// Of a section: its number of runs; invalid for a run.
    SectionSizeRole = Qt::UserRole + 1000,
    /// The run waits in the queue, in its section.
    InQueueRole,
  };
  using Predicate = std::function<bool(const QModelIndex& run)>;
  using Grouping = std::function<QString(const QModelIndex& run)>;

  explicit RunTree(RunListModel* runs, QObject* parent = nullptr);

  /// Which runs are shown; empty: all.
  void setFilter(Predicate filter);
  /// The title of a run's section; nullptr: no groups.
  void setGrouping(Grouping grouping);
  void setColumns(std::vector<RunColumn> columns);
  const std::vector<RunColumn>& columns() const { return columns_; }
  /// By a standard column or one that is shown; empty: pinned runs first, then the newest.
  void sortBy(const QString& columnId, Qt::SortOrder order = Qt::AscendingOrder);
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
  QString sortId() const { return sorting_ ? sorting_->id : QString(); }
  Qt::SortOrder sortOrder() const { return sortOrder_; }

  QModelIndex indexOf(const QString& folder) const;
  /// Empty for a section.
  QString folderOf(const QModelIndex& index) const;
  bool isSection(const QModelIndex& index) const;
  QString sectionTitle(const QModelIndex& index) const;
  /// Folders in their order on the screen.
  QStringList shownRuns() const;
  int shownCount() const { return static_cast<int>(places_.size()); }
  int hiddenCount() const;

  /// Does at once what a change of the list otherwise does in the next turn of the event loop.
  void arrange();
  /// After values changed of which the list of runs does not know.
  void arrangeSoon();

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;
  bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                       const QModelIndex& parent) const override;
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

 Q_SIGNALS:
  /// Rows came, went or moved. Selections are to be set again.
  void arranged();
  void renameRequested(const QString& folder, const QString& name);
  /// A run of the queue was dropped at another position of it, from 1.
  void queueMoveRequested(const QString& folder, int position);

 private:
  struct Section {
    QString title;
    bool isQueue = false;
    QStringList runs;  ///< folders
    bool operator==(const Section&) const = default;
  };
  struct Place {
    int section = 0, row = 0;
  };
  std::vector<Section> arrangement() const;
  void sortRuns(QStringList& runs) const;
  bool isFlat() const { return sections_.size() == 1 && sections_.front().title.isEmpty(); }
  QModelIndex runIndex(const Place& place, int column) const;
  const Section* sectionAt(const QModelIndex& index) const;
  QModelIndex sourceOf(const QModelIndex& index) const;
  void passOn(const QModelIndex& first, const QModelIndex& last, const QList<int>& roles);

  RunListModel* runs_;
  Predicate filter_;
  Grouping grouping_;
  std::vector<RunColumn> columns_;
  std::optional<RunColumn> sorting_;  ///< need not be shown
  Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
  std::vector<Section> sections_;
  QHash<QString, Place> places_;  ///< by folder
  QTimer arrange_;                ///< rows came or went
  QTimer arrangeChanged_;         ///< values changed, as those of live runs do all the time
};

}  // namespace lockstep::app
