#include "widgets/comparison/confusion_model.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

#include "widgets/comparison/table_text.h"
#include "widgets/instances/class_name.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

/// Of the tint of a whole row's objects; text stays legible on it.
constexpr double kStrongest = 0.45;
constexpr int kShareDecimals = 2;

template <typename Number>
Number viewed(ComparedView view, Number first, Number second) {
  switch (view) {
    case ComparedView::First:
      return first;
    case ComparedView::Second:
      return second;
    case ComparedView::Difference:
      return second - first;
  }
  return 0;
}

}  // namespace

void ConfusionModel::setConfusions(const std::vector<coco::Category>& categories,
                                   const MatchedPair::Confusions& both) {
  beginResetModel();
  names_.clear();
  for (const coco::Category& category : categories) names_.push_back(nameOf(category));
  both_ = both;
  const std::size_t count = names_.size() + 1;
  for (std::size_t side = 0; side < 2; ++side) {
    Sums& sums = sums_.at(side);
    sums.ofActual.assign(count, 0);
    sums.ofPredicted.assign(count, 0);
    for (std::size_t actual = 0; actual < count; ++actual)
      for (std::size_t predicted = 0; predicted < count; ++predicted) {
        sums.ofActual[actual] += both_.at(side).at(actual, predicted);
        sums.ofPredicted[predicted] += both_.at(side).at(actual, predicted);
      }
  }
  chooseClasses();
  endResetModel();
}

void ConfusionModel::clear() {
  beginResetModel();
  names_.clear();
  shown_.clear();
  both_ = {coco::ConfusionMatrix(), coco::ConfusionMatrix()};
  endResetModel();
}

bool ConfusionModel::isEmpty(std::size_t index) const {
  return std::ranges::all_of(sums_, [index](const Sums& sums) {
    return sums.ofActual[index] == 0 && sums.ofPredicted[index] == 0;
  });
}

/// The same in both directions, and of A and B: the diagonal stays one, and cells their places.
void ConfusionModel::chooseClasses() {
  shown_.clear();
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (isEmptyShown_ || !isEmpty(i)) shown_.push_back(i);
  if (!names_.empty()) shown_.push_back(names_.size());
}

std::size_t ConfusionModel::emptyClasses() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < names_.size(); ++i) count += isEmpty(i);
  return count;
}

void ConfusionModel::setEmptyShown(bool shown) {
  beginResetModel();
  isEmptyShown_ = shown;
  chooseClasses();
  endResetModel();
}

void ConfusionModel::setView(ComparedView view) {
  view_ = view;
  if (rowCount() == 0) return;
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void ConfusionModel::setUnit(ConfusionUnit unit) {
  unit_ = unit;
  if (rowCount() == 0) return;
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int ConfusionModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int ConfusionModel::columnCount(const QModelIndex& parent) const { return rowCount(parent); }

ConfusionModel::Cell ConfusionModel::cellAt(const QModelIndex& index) const {
  return {shown_.at(static_cast<std::size_t>(index.row())),
          shown_.at(static_cast<std::size_t>(index.column()))};
}

int ConfusionModel::countAt(std::size_t actual, std::size_t predicted) const {
  const auto of = [&](std::size_t side) {
    return static_cast<int>(both_.at(side).at(actual, predicted));
  };
  return viewed(view_, of(0), of(1));
}

double ConfusionModel::shareAt(std::size_t side, const Cell& cell, ConfusionUnit unit) const {
  const Sums& sums = sums_.at(side);
  const double whole = unit == ConfusionUnit::OfActual ? sums.ofActual[cell.actual]
                                                       : sums.ofPredicted[cell.predicted];
  return whole == 0 ? 0 : both_.at(side).at(cell.actual, cell.predicted) / whole;
}

double ConfusionModel::valueAt(const Cell& cell) const {
  if (unit_ == ConfusionUnit::Counts) return countAt(cell.actual, cell.predicted);
  const auto of = [&](std::size_t side) { return shareAt(side, cell, unit_); };
  return viewed(view_, of(0), of(1));
}

std::vector<ConfusionModel::Cell> ConfusionModel::largestConfusions(std::size_t most) const {
  std::vector<Cell> cells;
  for (std::size_t actual = 0; actual < names_.size(); ++actual)
    for (std::size_t predicted = 0; predicted < names_.size(); ++predicted)
      if (actual != predicted && countAt(actual, predicted) != 0)
        cells.push_back({actual, predicted});
  const auto end = cells.begin() + static_cast<std::ptrdiff_t>(std::min(most, cells.size()));
  std::ranges::partial_sort(cells, end, [this](const Cell& one, const Cell& other) {
    const double own = std::abs(valueAt(one)), theirs = std::abs(valueAt(other));
    if (own != theirs) return own > theirs;
    return std::pair(one.actual, one.predicted) < std::pair(other.actual, other.predicted);
  });
  cells.erase(end, cells.end());
  return cells;
}

/// Of objects that are found as what they are, more is good; of all others it is not.
QVariant ConfusionModel::tint(const Cell& cell, int count) const {
  if (count == 0) return {};
  const std::size_t side = view_ == ComparedView::Second ? 1 : 0;
  const double whole = sums_.at(side).ofActual[cell.actual];
  const double share = unit_ == ConfusionUnit::Counts
                           ? std::min(1.0, std::abs(count) / std::max(1.0, whole))
                           : std::abs(valueAt(cell));
  const Theme& theme = currentTheme();
  const bool isGood = (cell.actual == cell.predicted) == (count > 0);
  return blend(theme.field, isGood ? theme.truePositive : theme.falsePositive, kStrongest * share);
}

QString ConfusionModel::valueText(const Cell& cell) const {
  if (countAt(cell.actual, cell.predicted) == 0 && valueAt(cell) == 0) return QStringLiteral("·");
  const double value = valueAt(cell);
  const bool isGain = view_ == ComparedView::Difference && value > 0;
  const QString text = unit_ == ConfusionUnit::Counts
                           ? QLocale().toString(static_cast<int>(value))
                           : QLocale().toString(value, 'f', kShareDecimals);
  return (isGain ? QStringLiteral("+") : QString()) + text;
}

QVariant ConfusionModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Cell cell = cellAt(index);
  if (isCorner(cell)) return {};
  const int count = countAt(cell.actual, cell.predicted);
  switch (role) {
    case Qt::DisplayRole:
      return valueText(cell);
    case kFigureRole:
      return valueAt(cell);
    case Qt::TextAlignmentRole:
      return int{Qt::AlignCenter};
    case Qt::FontRole:
      return monoFont(11);
    case Qt::BackgroundRole:
      return tint(cell, count);
    case Qt::ForegroundRole:
      return count == 0 ? currentTheme().textFaint : currentTheme().text;
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
      return unit_ == ConfusionUnit::Counts
                 ? tr("%1: %L2").arg(textOf(cell)).arg(count)
                 : tr("%1: %2 (%L3)").arg(textOf(cell), valueText(cell)).arg(count);
    default:
      return {};
  }
}

QString ConfusionModel::textOf(const Cell& cell) const {
  const QString actual = classNameOf(cell.actual);
  if (cell.predicted == names_.size()) return tr("%1 missed").arg(actual);
  return tr("%1 predicted as %2").arg(actual, classNameOf(cell.predicted));
}

QString ConfusionModel::classNameOf(std::size_t index) const {
  return index < names_.size() ? names_[index] : tr("background");
}

QVariant ConfusionModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  if (section < 0 || section >= rowCount()) return {};
  const std::size_t index = shown_[static_cast<std::size_t>(section)];
  const QString name = classNameOf(index);
  if (role == Qt::DisplayRole) return name;
  const bool isBackground = index == names_.size();
  if (orientation == Qt::Vertical)
    return isBackground ? tr("Detections on the background: no object is there")
                        : tr("Objects of: %1").arg(name);
  return isBackground ? tr("Objects that are missed") : tr("Predicted as: %1").arg(name);
}

}  // namespace lockstep::widgets
