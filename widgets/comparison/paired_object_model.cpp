#include "widgets/comparison/paired_object_model.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "widgets/comparison/roomy_delegate.h"
#include "widgets/comparison/table_text.h"
#include "widgets/instances/class_name.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

using Column = PairedObjectModel::Column;

constexpr int kScoreDecimals = 3, kIouDecimals = 2;

constexpr std::size_t sideOf(int column) {
  return column == Column::SecondClass || column >= Column::SecondScore ? 1 : 0;
}

constexpr bool isFigure(int column) { return column >= Column::Area; }

/// The beginning that the names of all images share, which does not end within a number unless it
/// is nothing else.
QString commonPrefixOf(const std::vector<coco::Image>& images) {
  if (images.size() < 2) return {};
  std::string_view common = images.front().fileName;
  for (const coco::Image& image : images) {
    const auto differ = std::ranges::mismatch(common, image.fileName);
    common = common.substr(0, static_cast<std::size_t>(differ.in1 - common.begin()));
  }
  const QString prefix = QString::fromStdString(std::string(common));
  qsizetype end = prefix.size();
  while (end > 0 && (prefix[end - 1].isDigit() || prefix[end - 1] == QChar::ReplacementCharacter))
    --end;
  return end > 0 ? prefix.first(end) : prefix;
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

/// The class that a column says; nothing: it says none.
std::optional<CategoryId> classOf(const PairedObject& object, int column,
                                  const std::vector<coco::Category>& categories) {
  if (column == Column::Class) return object.category;
  const std::int32_t row = object.predicted.at(sideOf(column));
  return row < 0 ? std::nullopt : std::optional(categories[static_cast<std::size_t>(row)].id);
}

/// The place of each class among them by its name.
std::map<CategoryId, double> namePlaces(const std::vector<coco::Category>& categories) {
  std::vector<coco::Category> byName = categories;
  std::ranges::stable_sort(byName, {}, &coco::Category::name);
  std::map<CategoryId, double> places;
  for (std::size_t i = 0; i < byName.size(); ++i) places[byName[i].id] = static_cast<double>(i);
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
    const double last = order == Qt::DescendingOrder ? -HUGE_VAL : HUGE_VAL;
    if (PairedObjectModel::isClass(column))
      return by(std::move(rows), [this, last, places = namePlaces(dataset->categories())](
                                     const PairedObject& object) {
        const auto own = classOf(object, column, dataset->categories());
        const auto found = own ? places.find(*own) : places.end();
        return found == places.end() ? last : found->second;
      });
    return by(std::move(rows), [this, last](const PairedObject& object) {
      const double figure = figureOf(object, column);
      return std::isnan(figure) ? last : figure;
    });
  }
};

}  // namespace

PairedObjectModel::PairedObjectModel(QObject* parent)
    : QAbstractTableModel(parent), sortJob_([this](const Rows& rows) { show(rows); }) {}

void PairedObjectModel::setDataset(std::shared_ptr<const coco::Dataset> dataset) {
  if (dataset == dataset_) return;
  dataset_ = std::move(dataset);
  commonPrefix_ = dataset_ ? commonPrefixOf(dataset_->images()).size() : 0;
}

void PairedObjectModel::setObjects(std::shared_ptr<const coco::Dataset> dataset, Objects objects,
                                   const ObjectFilter& filter) {
  beginResetModel();
  if (dataset || !others_) setDataset(std::move(dataset));  // others keep theirs
  objects_ = std::move(objects);
  filter_ = filter;
  count();
  choose();
  endResetModel();
}

void PairedObjectModel::count() {
  counts_ = {};
  if (!objects_) return;
  for (const PairedObject& object : *objects_)
    counts_.at(static_cast<std::size_t>(object.finders)) += filter_.passes(object) ? 1 : 0;
}

int PairedObjectModel::countOf(FinderSet finders) const {
  int count = 0;
  for (std::size_t one = 0; one < counts_.size(); ++one)
    if (finders.contains(static_cast<Finders>(one))) count += counts_.at(one);
  return count;
}

void PairedObjectModel::setFinders(FinderSet finders) {
  if (finders == finders_ && !others_) return;
  beginResetModel();
  finders_ = finders;
  others_.reset();
  choose();
  endResetModel();
}

void PairedObjectModel::setFilter(const ObjectFilter& filter) {
  if (filter == filter_) return;
  beginResetModel();
  filter_ = filter;
  count();
  choose();
  endResetModel();
}

void PairedObjectModel::setIouType(coco::IouType type) {
  type_ = type;
  Q_EMIT headerDataChanged(Qt::Horizontal, Area, Area);
}

void PairedObjectModel::setOthers(std::shared_ptr<const coco::Dataset> dataset, Objects others) {
  beginResetModel();
  if (dataset) setDataset(std::move(dataset));
  others_ = std::move(others);
  if (!shown()) setDataset(nullptr);
  choose();
  endResetModel();
}

void PairedObjectModel::choose() {
  rows_.clear();
  unfiltered_ = 0;
  for (std::size_t i = 0; shown() && i < shown()->size(); ++i) {
    const PairedObject& object = (*shown())[i];
    if (!others_ && !finders_.contains(object.finders)) continue;
    ++unfiltered_;
    if (filter_.passes(object)) rows_.push_back(i);
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

QString PairedObjectModel::classText(const PairedObject& object, int column) const {
  const auto& categories = dataset_->categories();
  const auto own = classOf(object, column, categories);
  const auto found =
      own ? std::ranges::find(categories, *own, &coco::Category::id) : categories.end();
  return found == categories.end() ? QStringLiteral("–") : nameOf(*found);
}

QString PairedObjectModel::textOf(const PairedObject& object, int column) const {
  if (column == Image)
    return QString::fromStdString(dataset_->images()[object.imageIndex].fileName);
  if (isClass(column)) return classText(object, column);
  const double figure = figureOf(object, column);
  if (std::isnan(figure)) return QStringLiteral("–");
  if (column == Area) return tr("%1 px²").arg(QLocale().toString(qRound64(figure)));
  const bool isScore = column == FirstScore || column == SecondScore;
  return QLocale().toString(figure, 'f', isScore ? kScoreDecimals : kIouDecimals);
}

QVariant PairedObjectModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const bool isNumber = isFigure(index.column());
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return textOf(objectAt(index.row()), index.column());
    case kShortTextRole:
      if (index.column() != Image || commonPrefix_ == 0) return {};
      return QString(u'…' + textOf(objectAt(index.row()), Image).mid(commonPrefix_));
    case kFigureRole:
      return isNumber ? rawFigureOf(objectAt(index.row()), index.column()) : QVariant();
    case Qt::TextAlignmentRole:
      return isNumber ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::FontRole:
      return isNumber ? QVariant(monoFont(11)) : QVariant();
    default:
      return {};
  }
}

QVariant PairedObjectModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section >= ColumnCount) return {};
  if (role == Qt::TextAlignmentRole && isFigure(section))
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  const QString area = type_ == coco::IouType::Box ? tr("Box area") : tr("Mask area");
  const QString names[ColumnCount] = {tr("Image"),      tr("Class"),   tr("A predicts"),
                                      tr("B predicts"), area,          tr("A score"),
                                      tr("A IoU"),      tr("B score"), tr("B IoU")};
  if (role == Qt::DisplayRole) return names[section];
  if (role != Qt::ToolTipRole) return {};
  if (section == Class) return tr("Of the annotated object; of a detection on none, its own");
  if (isClass(section))
    return tr(
        "Class of the detection that is matched with the object in the confusion matrix; –: none");
  return {};
}

}  // namespace lockstep::widgets
