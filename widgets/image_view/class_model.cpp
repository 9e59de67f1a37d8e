#include "widgets/image_view/class_model.h"

#include <cmath>

#include "widgets/curves/number_text.h"
#include "widgets/instances/class_name.h"
#include "widgets/instances/verdict.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

bool leadsToErrors(int column) {
  return column == ClassModel::FalsePositives || column == ClassModel::Missed;
}

Qt::Alignment alignmentOf(int column) {
  return (column == ClassModel::Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter;
}

}  // namespace

QString apNameAt(double iouThreshold) {
  const long hundredths = std::lround(100 * iouThreshold);
  if (hundredths == 50 || hundredths == 75) return QStringLiteral("AP%1").arg(hundredths);
  return QStringLiteral("AP@%1").arg(iouThreshold, 0, 'f', 2);
}

void ClassModel::setClasses(const std::vector<coco::Category>& classes) {
  beginResetModel();
  classes_ = classes;
  figures_.clear();
  endResetModel();
}

void ClassModel::setFigures(const std::vector<ClassFigures>& figures) {
  figures_.clear();
  for (const ClassFigures& one : figures) figures_[one.category] = one;
  if (!classes_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

void ClassModel::setApName(const QString& name) {
  if (name == apName_) return;
  apName_ = name;
  Q_EMIT headerDataChanged(Qt::Horizontal, Ap, Ap);
}

int ClassModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(classes_.size());
}

int ClassModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant ClassModel::valueOf(int row, int column) const {
  const coco::Category& category = classes_[static_cast<std::size_t>(row)];
  if (column == Name) return nameOf(category);
  const auto known = figures_.find(category.id);
  if (known == figures_.end()) return {};
  const auto& [id, images, objects, counts, ap] = known->second;
  switch (column) {
    case Images:
      return static_cast<qint64>(images);
    case Objects:
      return static_cast<qint64>(objects);
    case TruePositives:
      return static_cast<qint64>(counts.truePositives);
    case FalsePositives:
      return static_cast<qint64>(counts.falsePositives);
    case Missed:
      return static_cast<qint64>(counts.falseNegatives);
    default:
      return ap < 0 ? QVariant() : QVariant(ap);
  }
}

QVariant ClassModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const int column = index.column();
  const QVariant value = valueOf(index.row(), column);
  switch (role) {
    case Qt::DisplayRole:
      if (!value.isValid()) return QStringLiteral("–");
      return column == Ap     ? QString::number(value.toDouble(), 'f', 3)
             : column == Name ? value.toString()
                              : countText(value.toLongLong());
    case Qt::ToolTipRole:
      if (column == Name) return value;
      return leadsToErrors(column) && value.toLongLong() > 0
                 ? tr("Shows them: N goes to the next one, Shift+N to the one before")
                 : QVariant();
    case Qt::FontRole:
      return column == Name ? interfaceFont(12) : monoFont(11);
    case Qt::ForegroundRole:
      return leadsToErrors(column) && value.toLongLong() > 0 ? QVariant(currentTheme().accent)
                                                             : QVariant();
    case Qt::TextAlignmentRole:
      return QVariant(alignmentOf(column));
    case kSortRole:
      return value.isValid() ? value : QVariant(-1);
    default:
      return {};
  }
}

QVariant ClassModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section >= kColumns) return {};
  if (role == Qt::TextAlignmentRole) return QVariant(alignmentOf(section));
  const QString names[kColumns] = {tr("class"),
                                   tr("images"),
                                   tr("objects"),
                                   verdictAbbreviation(Verdict::TruePositive),
                                   verdictAbbreviation(Verdict::FalsePositive),
                                   verdictAbbreviation(Verdict::Missed),
                                   apName_};
  const QString tips[kColumns] = {tr("Click a class to see its images alone"),
                                  tr("Predicted images with an object of the class"),
                                  tr("Objects on the predicted images, without crowds"),
                                  tr("True positives at the thresholds"),
                                  tr("False positives at the thresholds; a click shows them"),
                                  tr("False negatives at the thresholds: missed objects; a click "
                                     "shows them"),
                                  tr("AP at the IoU threshold, of the detections from the score "
                                     "threshold on")};
  if (role == Qt::DisplayRole) return names[section];
  return role == Qt::ToolTipRole ? QVariant(tips[section]) : QVariant();
}

}  // namespace lockstep::widgets
