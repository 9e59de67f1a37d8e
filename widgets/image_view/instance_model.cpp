#include "widgets/image_view/instance_model.h"

#include <cmath>

#include "widgets/curves/number_text.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

QString cellText(const CanvasScene::Instance& instance, int column) {
  const InstanceFacts& facts = instance.facts;
  switch (column) {
    case InstanceModel::Class:
      return instance.className;
    case InstanceModel::Score:
      return std::isfinite(facts.score) ? QString::number(facts.score, 'f', 2)
                                        : QStringLiteral("–");
    case InstanceModel::Iou:
      // No detection overlaps this object, or nobody has annotated the image.
      return (facts.verdict == Verdict::Missed && facts.iou <= 0) ||
                     facts.verdict == Verdict::Unjudged
                 ? QStringLiteral("–")
                 : QString::number(facts.shownIou(), 'f', 2);
    case InstanceModel::Object:
      return InstanceModel::objectText(instance);
    case InstanceModel::Area:
      return countText(std::llround(facts.areaPx));
    case InstanceModel::Error:
      return instance.errorText();
    default:
      return {};
  }
}

QString toolTipOf(const CanvasScene::Instance& instance) {
  QString text = instance.className % QStringLiteral(": ") % verdictName(instance.facts.verdict);
  const QString object = InstanceModel::objectText(instance);
  if (!object.isEmpty()) text += InstanceModel::tr("\nObject and IoU: %1").arg(object);
  if (!instance.errorText().isEmpty()) text += u'\n' % instance.errorText();
  if (!instance.whyMissed.isEmpty()) text += u'\n' % instance.whyMissed;
  return text;
}

QVariant sortValue(const CanvasScene::Instance& instance, int column, int row) {
  switch (column) {
    case InstanceModel::Score:
      return std::isfinite(instance.facts.score) ? instance.facts.score : -1.0;
    case InstanceModel::Iou:
      return instance.facts.shownIou();
    case InstanceModel::Area:
      return instance.facts.areaPx;
    case InstanceModel::Mark:
      return row;
    default:
      return cellText(instance, column);
  }
}

bool isNumber(int column) {
  return column == InstanceModel::Score || column == InstanceModel::Iou ||
         column == InstanceModel::Area;
}

}  // namespace

QString InstanceModel::objectText(const CanvasScene::Instance& instance) {
  if (instance.objectName.isEmpty()) return {};
  return instance.objectName % u' ' % QString::number(instance.facts.objectIou, 'f', 2);
}

void InstanceModel::setScene(std::shared_ptr<const CanvasScene> scene) {
  beginResetModel();
  scene_ = std::move(scene);
  endResetModel();
}

int InstanceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !scene_ ? 0 : static_cast<int>(scene_->instances.size());
}

int InstanceModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant InstanceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !scene_) return {};
  const CanvasScene::Instance& instance = scene_->instances[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      return cellText(instance, column);
    case Qt::ToolTipRole:
      return toolTipOf(instance);
    case Qt::AccessibleTextRole:
      return column == Mark ? verdictName(instance.facts.verdict) : cellText(instance, column);
    case Qt::FontRole:
      return isNumber(column) ? monoFont(12) : interfaceFont(12);
    case Qt::TextAlignmentRole:
      return QVariant(isNumber(column) ? Qt::AlignRight | Qt::AlignVCenter
                                       : Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      return column == Error ? QVariant(currentTheme().warning) : QVariant();
    case kVerdictRole:
      return static_cast<int>(instance.facts.verdict);
    case kSortRole:
      return sortValue(instance, column, index.row());
    default:
      return {};
  }
}

QVariant InstanceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return QVariant(isNumber(section) ? Qt::AlignRight | Qt::AlignVCenter
                                      : Qt::AlignLeft | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole && section == Mark) return tr("Worst first");
  if (role == Qt::ToolTipRole && section == Iou)
    return tr(
        "IoU with the object that the detection is matched with, else overlaps most, of any class; "
        "of a missed object, the highest with a detection that is shown");
  if (role == Qt::ToolTipRole && section == Object)
    return tr(
        "The object, of any class, that the detection is matched with or overlaps most, and "
        "their IoU");
  if (role != Qt::DisplayRole) return {};
  const QString names[kColumns] = {{},           tr("class"), tr("score"), tr("IoU"),
                                   tr("object"), tr("area"),  tr("error")};
  return section >= 0 && section < kColumns ? names[section] : QString();
}

}  // namespace lockstep::widgets
