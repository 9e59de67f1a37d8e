#include "widgets/comparison/paired_object_model.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "widgets/comparison/table_text.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

using Column = PairedObjectModel::Column;

constexpr int kScoreDecimals = 3, kIouDecimals = 2;

std::size_t sideOf(int column) {
  return column == Column::SecondScore || column == Column::SecondIou ? 1 : 0;
}

/// NaN: there is none.
double figureOf(const PairedObject& object, int column) {
  if (column == Column::Area) return object.areaPx;
  const PairedFind& find = object.finds.at(sideOf(column));
  return column == Column::FirstScore || column == Column::SecondScore ? find.score : find.iou;
}

/// Scores and IoUs are kept as floats, whose digits are fewer.
QVariant rawFigureOf(const PairedObject& object, int column) {
  const double figure = figureOf(object, column);
  return column == Column::Area ? QVariant(figure) : QVariant(static_cast<float>(figure));
}

/// The place of each class among them by its name.
std::map<CategoryId, std::size_t> namePlaces(const std::vector<coco::Category>& categories) {
  std::vector<coco::Category> byName = categories;
  std::ranges::stable_sort(byName, {}, &coco::Category::name);
  std::map<CategoryId, std::size_t> places;
  for (std::size_t i = 0; i < byName.size(); ++i) places[byName[i].id] = i;
  return places;
}

/// What rows are sorted by. For any thread.
struct Sorting {
  std::shared_ptr<const coco::Dataset> dataset;
  PairedObjectModel::Objects objects;
  int column = 0;
  Qt::SortOrder order = Qt::AscendingOrder;

  template <typename KeyOf>
  std::vector<std::size_t> by(std::vector<std::size_t> rows, const KeyOf& keyOf) const {
    const std::vector<PairedObject>& all = *objects;
    std::ranges::stable_sort(rows, [&](std::size_t one, std::size_t other) {
      return order == Qt::DescendingOrder ? keyOf(all[other]) < keyOf(all[one])
                                          : keyOf(all[one]) < keyOf(all[other]);
    });
    return rows;
  }

  /// In the order of the dataset where the column says nothing; missing figures last.
  std::vector<std::size_t> sorted(std::vector<std::size_t> rows) const {
    std::ranges::sort(rows);
    if (column < 0 || rows.empty()) return rows;
    if (column == Column::Image)
      return by(std::move(rows), [this](const PairedObject& object) -> const std::string& {
        return dataset->images()[object.imageIndex].fileName;
      });
    if (column == Column::Class)
      return by(std::move(rows),
                [places = namePlaces(dataset->categories())](const PairedObject& object) {
                  const auto found = places.find(object.category);
                  return found == places.end() ? places.size() : found->second;
                });
    const double last = order == Qt::DescendingOrder ? -HUGE_VAL : HUGE_VAL;
    return by(std::move(rows), [this, last](const PairedObject& object) {
      const double figure = figureOf(object, column);
      return std::isnan(figure) ? last : figure;
    });
  }
};

}  // namespace

PairedObjectModel::PairedObjectModel(QObject* parent)
    : QAbstractTableModel(parent), sortJob_([this](const Rows& rows) { show(rows); }) {}

void PairedObjectModel::setObjects(std::shared_ptr<const coco::Dataset> dataset, Objects objects) {
  beginResetModel();
  dataset_ = std::move(dataset);
  objects_ = std::move(objects);
  counts_ = {};
  if (objects_)
    for (const PairedObject& object : *objects_)
      ++counts_.at(static_cast<std::size_t>(object.finders));
  choose();
  endResetModel();
}

void PairedObjectModel::setFinders(Finders finders) {
  beginResetModel();
  finders_ = finders;
  others_.reset();
  choose();
  endResetModel();
}

void PairedObjectModel::setIouType(coco::IouType type) {
  type_ = type;
  Q_EMIT headerDataChanged(Qt::Horizontal, Area, Area);
}

void PairedObjectModel::setOthers(std::shared_ptr<const coco::Dataset> dataset, Objects others) {
  beginResetModel();
  if (dataset) dataset_ = std::move(dataset);
  others_ = std::move(others);
  choose();
  endResetModel();
}

void PairedObjectModel::choose() {
  rows_.clear();
  if (others_) {
    rows_.resize(others_->size());
    std::iota(rows_.begin(), rows_.end(), std::size_t{0});
  } else {
    for (std::size_t i = 0; objects_ && i < objects_->size(); ++i)
      if ((*objects_)[i].finders == finders_) rows_.push_back(i);
  }
  rows_ = ordered(std::move(rows_));
}

/// At once, or as they are until they are sorted.
PairedObjectModel::Rows PairedObjectModel::ordered(Rows rows) {
  sortJob_.cancel();
  if (sortColumn_ < 0 && std::ranges::is_sorted(rows)) return rows;
  const Sorting sorting{dataset_, shown(), sortColumn_, sortOrder_};
  if (rows.size() <= kSortedAtOnce) return sorting.sorted(std::move(rows));
  sortJob_.request([sorting, rows] { return sorting.sorted(rows); });
  return rows;
}

void PairedObjectModel::sort(int column, Qt::SortOrder order) {
  sortColumn_ = column;
  sortOrder_ = order;
  if (Rows rows = ordered(rows_); rows != rows_) show(std::move(rows));
}

/// The same ones in this order.
void PairedObjectModel::show(Rows rows) {
  Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
  const Rows before = std::exchange(rows_, std::move(rows));
  const QModelIndexList known = persistentIndexList();
  QModelIndexList moved;
  for (const QModelIndex& one : known) {
    const auto now = std::ranges::find(rows_, before[static_cast<std::size_t>(one.row())]);
    moved << index(static_cast<int>(now - rows_.begin()), one.column());
  }
  changePersistentIndexList(known, moved);
  Q_EMIT layoutChanged({}, VerticalSortHint);
}

int PairedObjectModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int PairedObjectModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString PairedObjectModel::textOf(const PairedObject& object, int column) const {
  if (column == Image)
    return QString::fromStdString(dataset_->images()[object.imageIndex].fileName);
  if (column == Class) {
    const auto& categories = dataset_->categories();
    const auto found = std::ranges::find(categories, object.category, &coco::Category::id);
    return found == categories.end() ? QString() : QString::fromStdString(found->name);
  }
  const double figure = figureOf(object, column);
  if (std::isnan(figure)) return QStringLiteral("–");
  if (column == Area) return tr("%1 px²").arg(QLocale().toString(qRound64(figure)));
  const bool isScore = column == FirstScore || column == SecondScore;
  return QLocale().toString(figure, 'f', isScore ? kScoreDecimals : kIouDecimals);
}

QVariant PairedObjectModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const bool isFigure = index.column() >= Area;
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return textOf(objectAt(index.row()), index.column());
    case kFigureRole:
      return isFigure ? rawFigureOf(objectAt(index.row()), index.column()) : QVariant();
    case Qt::TextAlignmentRole:
      return isFigure ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::FontRole:
      return isFigure ? QVariant(monoFont(11)) : QVariant();
    default:
      return {};
  }
}

QVariant PairedObjectModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section >= Area)
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Image:
      return tr("Image");
    case Class:
      return tr("Class");
    case Area:
      return type_ == coco::IouType::Box ? tr("Box area") : tr("Mask area");
    case FirstScore:
      return tr("A score");
    case FirstIou:
      return tr("A IoU");
    case SecondScore:
      return tr("B score");
    default:
      return tr("B IoU");
  }
}

}  // namespace lockstep::widgets
