#include "widgets/comparison/confusion_model.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

/// Of the tint of a whole row's objects; text stays legible on it.
constexpr double kStrongest = 0.45;

}  // namespace

void ConfusionModel::setConfusions(const std::vector<coco::Category>& categories,
                                   const MatchedPair::Confusions& both) {
  beginResetModel();
  names_.clear();
  for (const coco::Category& category : categories)
    names_.push_back(QString::fromStdString(category.name));
  both_ = both;
  endResetModel();
}

void ConfusionModel::clear() {
  beginResetModel();
  names_.clear();
  both_ = {coco::ConfusionMatrix(), coco::ConfusionMatrix()};
  endResetModel();
}

void ConfusionModel::setView(ComparedView view) {
  view_ = view;
  if (rowCount() == 0) return;
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int ConfusionModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || names_.empty() ? 0 : static_cast<int>(names_.size()) + 1;
}

int ConfusionModel::columnCount(const QModelIndex& parent) const { return rowCount(parent); }

int ConfusionModel::countAt(std::size_t actual, std::size_t predicted) const {
  const auto of = [&](std::size_t side) {
    return static_cast<int>(both_.at(side).at(actual, predicted));
  };
  switch (view_) {
    case ComparedView::First:
      return of(0);
    case ComparedView::Second:
      return of(1);
    case ComparedView::Difference:
      return of(1) - of(0);
  }
  return 0;
}

/// Of objects that are found as what they are, more is good; of all others it is not.
QVariant ConfusionModel::tint(const QModelIndex& index, int count) const {
  if (count == 0) return {};
  const auto row = static_cast<std::size_t>(index.row());
  double whole = 0;
  for (std::size_t column = 0; column <= names_.size(); ++column)
    whole += view_ == ComparedView::Second ? both_[1].at(row, column) : both_[0].at(row, column);
  const double share = std::min(1.0, std::abs(count) / std::max(1.0, whole));
  const Theme& theme = currentTheme();
  const bool isGood = (index.row() == index.column()) == (count > 0);
  return blend(theme.field, isGood ? theme.truePositive : theme.falsePositive, kStrongest * share);
}

QString ConfusionModel::countText(int count) const {
  if (count == 0) return QStringLiteral("·");
  const bool isGain = view_ == ComparedView::Difference && count > 0;
  return (isGain ? QStringLiteral("+") : QString()) + QLocale().toString(count);
}

QVariant ConfusionModel::data(const QModelIndex& index, int role) const {
  const bool isCorner = index.row() == index.column() && index.row() + 1 == rowCount();
  if (!index.isValid() || isCorner) return {};
  const int count =
      countAt(static_cast<std::size_t>(index.row()), static_cast<std::size_t>(index.column()));
  switch (role) {
    case Qt::DisplayRole:
      return countText(count);
    case Qt::TextAlignmentRole:
      return int{Qt::AlignCenter};
    case Qt::FontRole:
      return monoFont(11);
    case Qt::BackgroundRole:
      return tint(index, count);
    case Qt::ForegroundRole:
      return count == 0 ? currentTheme().textFaint : currentTheme().text;
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
      return tr("%1: %2").arg(textOf(index)).arg(count);
    default:
      return {};
  }
}

QString ConfusionModel::textOf(const QModelIndex& cell) const {
  const QString actual = className(cell.row(), Qt::Vertical);
  if (cell.column() + 1 == columnCount()) return tr("%1 missed").arg(actual);
  return tr("%1 predicted as %2").arg(actual, className(cell.column(), Qt::Horizontal));
}

QString ConfusionModel::className(int section, Qt::Orientation orientation) const {
  if (section < static_cast<int>(names_.size())) return names_[static_cast<std::size_t>(section)];
  return orientation == Qt::Vertical ? tr("no object") : tr("missed");
}

QVariant ConfusionModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const QString name = className(section, orientation);
  if (role == Qt::DisplayRole) return name;
  return orientation == Qt::Vertical ? tr("Objects of: %1").arg(name)
                                     : tr("Predicted as: %1").arg(name);
}

}  // namespace lockstep::widgets
