#include "widgets/image_view/instance_table.h"

#include <QHeaderView>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <algorithm>
#include <set>

#include "widgets/image_view/instance_model.h"
#include "widgets/image_view/verdict_style.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kPaddingPx = 12, kMinClassPx = 60, kAreaPx = 56, kObjectPx = 92, kErrorPx = 92;

/// Paints the verdict's mark instead of text.
class MarkDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    QRectF mark(0, 0, 9, 9);
    mark.moveCenter(QRectF(option.rect).center());
    const auto verdict = static_cast<Verdict>(index.data(InstanceModel::kVerdictRole).toInt());
    paintVerdictMark(*painter, mark, verdict, currentTheme());
  }
};

}  // namespace

InstanceTable::InstanceTable(QWidget* parent)
    : QTableView(parent),
      model_(new InstanceModel(this)),
      sorted_(new QSortFilterProxyModel(this)) {
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(InstanceModel::kSortRole);
  setModel(sorted_);
  setItemDelegateForColumn(InstanceModel::Mark, new MarkDelegate(this));
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setShowGrid(false);
  setWordWrap(false);
  setSortingEnabled(true);
  setFocusPolicy(Qt::ClickFocus);
  setAccessibleName(tr("Instances in this image"));
  horizontalHeader()->setFont(interfaceFont(12));
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(scaledPx(24));
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setSectionResizeMode(InstanceModel::Class, QHeaderView::Stretch);
  horizontalHeader()->setMinimumSectionSize(20);
  constexpr int kWidthsPx[InstanceModel::kColumns] = {24,        kMinClassPx, 56,      42,
                                                      kObjectPx, kAreaPx,     kErrorPx};
  for (int column = 0; column < InstanceModel::kColumns; ++column) {
    setColumnWidth(column, scaledPx(kWidthsPx[column]));
  }
  sortByColumn(InstanceModel::Score, Qt::DescendingOrder);
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) {
            if (now.isValid() && !isQuiet_) Q_EMIT instanceChosen(sorted_->mapToSource(now).row());
          });
}

/// Class and error come first: what is left is for the object, unless all are of one class, and
/// then for the area.
void InstanceTable::fitColumns() {
  int left = viewport()->width();
  for (const int column : {InstanceModel::Mark, InstanceModel::Score, InstanceModel::Iou})
    left -= columnWidth(column);
  left -= std::max({scaledPx(kMinClassPx), widestClassPx_,
                    horizontalHeader()->sectionSizeHint(InstanceModel::Class)});
  const int least = scaledPx(kErrorPx);
  setColumnWidth(InstanceModel::Error, std::clamp(widestErrorPx_, least, std::max(least, left)));
  left -= columnWidth(InstanceModel::Error);
  const bool hasObjects = hasSeveralClasses_ && left >= scaledPx(kObjectPx);
  if (hasObjects) left -= scaledPx(kObjectPx);
  setColumnHidden(InstanceModel::Object, !hasObjects);
  setColumnHidden(InstanceModel::Area, left < scaledPx(kAreaPx));
}

void InstanceTable::resizeEvent(QResizeEvent* event) {
  fitColumns();
  QTableView::resizeEvent(event);
}

void InstanceTable::setScene(std::shared_ptr<const CanvasScene> scene) {
  hasSeveralClasses_ = scene && scene->hasSeveralClasses;
  std::set<QString> classes, errors;  // a few of many instances
  if (scene)
    for (const CanvasScene::Instance& shown : scene->instances) {
      classes.insert(shown.className);
      errors.insert(shown.errorText());
    }
  const QFontMetrics metrics(interfaceFont(12));
  const auto widestOf = [&](const std::set<QString>& texts) {
    int widest = 0;
    for (const QString& text : texts)
      widest = std::max(widest, metrics.horizontalAdvance(text) + scaledPx(kPaddingPx));
    return widest;
  };
  widestClassPx_ = widestOf(classes);
  widestErrorPx_ = widestOf(errors);
  fitColumns();
  isQuiet_ = true;
  model_->setScene(std::move(scene));
  isQuiet_ = false;
}

void InstanceTable::showChosen(int instance) {
  isQuiet_ = true;
  if (instance < 0) {
    clearSelection();
    setCurrentIndex({});
  } else {
    const QModelIndex row = sorted_->mapFromSource(model_->index(instance, 0));
    selectionModel()->setCurrentIndex(
        row, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    scrollTo(row);
  }
  isQuiet_ = false;
}

int InstanceTable::neighbour(int instance, int by) const {
  const int rows = sorted_->rowCount();
  if (rows == 0) return -1;
  const int row =
      instance < 0
          ? (by > 0 ? 0 : rows - 1)
          : std::clamp(sorted_->mapFromSource(model_->index(instance, 0)).row() + by, 0, rows - 1);
  return sorted_->mapToSource(sorted_->index(row, 0)).row();
}

}  // namespace lockstep::widgets
