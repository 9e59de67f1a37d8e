#include "widgets/comparison/paired_object_model.h"

#include <QLocale>
#include <algorithm>
#include <numeric>

namespace lockstep::widgets {
namespace {

enum Column { kImage, kClass, kArea, kColumns };

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
  Q_EMIT headerDataChanged(Qt::Horizontal, kArea, kArea);
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
    return;
  }
  for (std::size_t i = 0; objects_ && i < objects_->size(); ++i)
    if ((*objects_)[i].finders == finders_) rows_.push_back(i);
}

int PairedObjectModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int PairedObjectModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant PairedObjectModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::TextAlignmentRole && index.column() == kArea)
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const PairedObject& object = objectAt(index.row());
  switch (index.column()) {
    case kImage:
      return QString::fromStdString(dataset_->images()[object.imageIndex].fileName);
    case kClass: {
      const auto& categories = dataset_->categories();
      const auto found = std::ranges::find(categories, object.category, &coco::Category::id);
      return found == categories.end() ? QString() : QString::fromStdString(found->name);
    }
    default:
      return tr("%1 px²").arg(QLocale().toString(qRound64(object.areaPx)));
  }
}

QVariant PairedObjectModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
  switch (section) {
    case kImage:
      return tr("Image");
    case kClass:
      return tr("Class");
    default:
      return type_ == coco::IouType::Box ? tr("Box area") : tr("Mask area");
  }
}

}  // namespace lockstep::widgets
