#include "widgets/comparison/paired_object_model.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <numeric>

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

}  // namespace

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
  order();
}

/// In the order of the dataset where the column says nothing; missing figures last.
void PairedObjectModel::order() {
  std::ranges::sort(rows_);
  if (sortColumn_ < 0 || rows_.empty()) return;
  const std::vector<PairedObject>& all = others_ ? *others_ : *objects_;
  const bool isFalling = sortOrder_ == Qt::DescendingOrder;
  const auto byKey = [&](const auto& keyOf) {
    std::ranges::stable_sort(rows_, [&](std::size_t one, std::size_t other) {
      return isFalling ? keyOf(all[other]) < keyOf(all[one]) : keyOf(all[one]) < keyOf(all[other]);
    });
  };
  if (sortColumn_ == Image)
    return byKey([this](const PairedObject& object) -> const std::string& {
      return dataset_->images()[object.imageIndex].fileName;
    });
  if (sortColumn_ == Class)
    return byKey([](const PairedObject& object) { return object.category.value; });
  byKey([this, isFalling](const PairedObject& object) {
    const double figure = figureOf(object, sortColumn_);
    return !std::isnan(figure) ? figure : isFalling ? -HUGE_VAL : HUGE_VAL;
  });
}

void PairedObjectModel::sort(int column, Qt::SortOrder order) {
  Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
  const std::vector<std::size_t> before = rows_;
  sortColumn_ = column;
  sortOrder_ = order;
  this->order();
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
