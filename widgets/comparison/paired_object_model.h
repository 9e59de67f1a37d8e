#pragma once

#include <QAbstractTableModel>
#include <array>
#include <memory>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "widgets/comparison/object_filter.h"
#include "widgets/instances/match_rules.h"
#include "widgets/instances/paired_objects.h"
#include "widgets/jobs/latest_job.h"

namespace lockstep::widgets {

/// The objects that some of A and B find, or a list of others, as far as the filter leaves them:
/// image, class, as what A and B predict each, area, by which score and with which IoU. In the
/// order of the dataset, or sorted by a column: more than kSortedAtOnce in the background, and
/// shown as they were until then.
class PairedObjectModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    Image,
    Class,
    FirstClass,
    SecondClass,
    Area,
    FirstScore,
    FirstIou,
    SecondScore,
    SecondIou,
    ColumnCount
  };
  using Objects = std::shared_ptr<const std::vector<PairedObject>>;
  static constexpr std::size_t kSortedAtOnce = 5000;
  static constexpr bool isClass(int column) {
    return column == Class || column == FirstClass || column == SecondClass;
  }
  explicit PairedObjectModel(QObject* parent = nullptr);

  /// nullptr: none. Others that are shown stay.
  void setObjects(std::shared_ptr<const coco::Dataset> dataset, Objects objects,
                  const ObjectFilter& filter = {});
  /// Of which IoU the areas are.
  void setIouType(coco::IouType type);
  void setFinders(FinderSet finders);
  void setFilter(const ObjectFilter& filter);
  /// Shows these instead, until setFinders(); nullptr: those of the finders again.
  void setOthers(std::shared_ptr<const coco::Dataset> dataset, Objects others);
  /// That the filter leaves.
  int countOf(FinderSet finders) const;
  /// Whatever the filter leaves of those that are listed.
  int countUnfiltered() const { return unfiltered_; }
  /// Of any finders, without the filter and others.
  int countAll() const { return objects_ ? static_cast<int>(objects_->size()) : 0; }
  const PairedObject& objectAt(int row) const {
    return (*shown())[rows_[static_cast<std::size_t>(row)]];
  }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;
  /// Column -1: in the order of the dataset.
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 private:
  using Rows = std::vector<std::size_t>;  ///< indices of objects
  void choose();
  void count();
  void setDataset(std::shared_ptr<const coco::Dataset> dataset);
  Rows ordered(Rows rows);
  void show(Rows rows);
  const Objects& shown() const { return others_ ? others_ : objects_; }
  QString textOf(const PairedObject& object, int column) const;
  QString classText(const PairedObject& object, int column) const;

  std::shared_ptr<const coco::Dataset> dataset_;
  Objects objects_, others_;
  coco::IouType type_ = coco::IouType::Mask;
  FinderSet finders_ = FinderSet::one(Finders::OnlyFirst);
  ObjectFilter filter_;
  Rows rows_;                    ///< of shown()
  std::array<int, 4> counts_{};  ///< of each value of Finders, as far as the filter leaves it
  int unfiltered_ = 0;
  qsizetype commonPrefix_ = 0;  ///< length, of the names of all images
  int sortColumn_ = -1;
  Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
  jobs::LatestJob<Rows> sortJob_;
};

}  // namespace lockstep::widgets
