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

constexpr int kColumnPaddingPx = 12, kInsetPx = 12, kMinClassPx = 60, kRoomyClassPx = 100,
              kAreaPx = 60, kObjectPx = 104, kErrorPx = 92;

/// Their texts begin where the numbers of the column before end.
bool isInset(int column) {
  return column == InstanceModel::Object || column == InstanceModel::Error;
}

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

/// A text that does not run into the numbers beside it.
class InsetDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyleOptionViewItem ground = option;
    initStyleOption(&ground, index);
    ground.text.clear();
    ground.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter, ground.widget);
    QStyleOptionViewItem inset = option;
    inset.rect.adjust(scaledPx(kInsetPx), 0, 0, 0);
    QStyledItemDelegate::paint(painter, inset, index);
  }
};

class InsetHeader : public QHeaderView {
 public:
  using QHeaderView::QHeaderView;

 protected:
  void paintSection(QPainter* painter, const QRect& rect, int column) const override {
    const int inset = isInset(column) ? scaledPx(kInsetPx) : 0;
    painter->fillRect(rect, currentTheme().panel);
    QHeaderView::paintSection(painter, rect.adjusted(inset, 0, 0, 0), column);
  }
};

}  // namespace

InstanceTable::InstanceTable(QWidget* parent)
    : QTableView(parent),
      model_(new InstanceModel(this)),
      sorted_(new QSortFilterProxyModel(this)) {
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(InstanceModel::kSortRole);
  setHorizontalHeader(new InsetHeader(Qt::Horizontal));
  setModel(sorted_);
  horizontalHeader()->setSectionsClickable(true);
  setItemDelegateForColumn(InstanceModel::Mark, new MarkDelegate(this));
  for (const int column : {InstanceModel::Object, InstanceModel::Error})
    setItemDelegateForColumn(column, new InsetDelegate(this));
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
/// then for the area. What is over is shared, so that what is read together stays together.
void InstanceTable::fitColumns() {
  int left = viewport()->width();
  for (const int column : {InstanceModel::Mark, InstanceModel::Score, InstanceModel::Iou})
    left -= columnWidth(column);
  const int ofClass = std::max({scaledPx(kMinClassPx), widestClassPx_,
                                horizontalHeader()->sectionSizeHint(InstanceModel::Class)});
  left -= ofClass;
  const int least = scaledPx(kErrorPx);
  setColumnWidth(InstanceModel::Error, std::clamp(widestErrorPx_, least, std::max(least, left)));
  left -= columnWidth(InstanceModel::Error);
  const bool hasObjects = hasSeveralClasses_ && left >= scaledPx(kObjectPx);
  const int object = hasObjects ? std::clamp(widestObjectPx_, scaledPx(kObjectPx),
                                             std::max(scaledPx(kObjectPx), left))
                                : 0;
  left -= object;
  const bool hasArea = left >= scaledPx(kAreaPx);
  if (hasArea) left -= scaledPx(kAreaPx);
  const int over = std::max(0, left - std::max(0, scaledPx(kRoomyClassPx) - ofClass)) / 2;
  setColumnHidden(InstanceModel::Object, !hasObjects);
  setColumnHidden(InstanceModel::Area, !hasArea);
  if (hasObjects)
    setColumnWidth(InstanceModel::Object, object + over);
  else
    setColumnWidth(InstanceModel::Error, columnWidth(InstanceModel::Error) + over);
}

void InstanceTable::resizeEvent(QResizeEvent* event) {
  fitColumns();
  QTableView::resizeEvent(event);
}

void InstanceTable::setScene(std::shared_ptr<const CanvasScene> scene) {
  hasSeveralClasses_ = scene && scene->hasSeveralClasses;
  std::set<QString> classes, objects, errors;  // a few of many instances
  if (scene)
    for (const CanvasScene::Instance& shown : scene->instances) {
      classes.insert(shown.className);
      objects.insert(InstanceModel::objectText(shown));
      errors.insert(shown.errorText());
    }
  const QFontMetrics metrics(interfaceFont(12));
  const auto widestOf = [&](const std::set<QString>& texts) {
    int widest = 0;
    for (const QString& text : texts)
      widest = std::max(widest, metrics.horizontalAdvance(text) + scaledPx(kColumnPaddingPx));
    return widest;
  };
  widestClassPx_ = widestOf(classes);
  widestObjectPx_ = widestOf(objects) + scaledPx(kInsetPx);
  widestErrorPx_ = widestOf(errors) + scaledPx(kInsetPx);
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
