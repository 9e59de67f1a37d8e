#include "widgets/comparison/error_table.h"

#include <QHeaderView>
#include <QLocale>

#include "widgets/comparison/roomy_delegate.h"
#include "widgets/comparison/table_text.h"
#include "widgets/instances/error_text.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

enum ErrorColumn { kErrorName, kErrorFirst, kErrorSecond, kFirstCost, kSecondCost, kErrorColumns };

constexpr int kCostDecimals = 4;

}  // namespace

ErrorTable::ErrorTable(QWidget* parent) : QTreeWidget(parent) {
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setAccessibleName(tr("Errors of A and B by type"));
  setHeaderLabels({tr("Error"), tr("A"), tr("B"), tr("AP cost of A"), tr("AP cost of B")});
  headerItem()->setToolTip(kFirstCost, tr("How much AP at this IoU threshold would rise without "
                                          "these errors (TIDE's dAP)"));
  headerItem()->setToolTip(kSecondCost, headerItem()->toolTip(kFirstCost));
  for (int column = kErrorFirst; column < kErrorColumns; ++column)
    headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  setItemDelegate(new RoomyDelegate(this));
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  header()->setSectionResizeMode(kErrorName, QHeaderView::Stretch);
  setSelectionBehavior(QAbstractItemView::SelectItems);  // so that arrow keys reach a column
  setMouseTracking(true);
  connect(this, &QTreeWidget::itemEntered, this, [this](QTreeWidgetItem* item, int column) {
    const bool isLink = item->data(column, kLinkRole).toBool();
    viewport()->setCursor(isLink ? Qt::PointingHandCursor : Qt::ArrowCursor);
  });
  connect(this, &QTreeWidget::viewportEntered, viewport(), &QWidget::unsetCursor);
  connect(this, &QTreeWidget::itemClicked, this, &ErrorTable::choose);
  connect(this, &QTreeWidget::itemActivated, this, &ErrorTable::choose);
}

void ErrorTable::addRow(const QString& name, const QString& toolTip, const coco::ErrorCost& first,
                        const coco::ErrorCost& second) {
  const QLocale locale;
  auto* item = new QTreeWidgetItem(this, {name, locale.toString(qulonglong{first.count}),
                                          locale.toString(qulonglong{second.count}),
                                          locale.toString(first.apCost, 'f', kCostDecimals),
                                          locale.toString(second.apCost, 'f', kCostDecimals)});
  item->setToolTip(kErrorName, toolTip);
  for (int column = kErrorFirst; column < kErrorColumns; ++column) {
    item->setFont(column, monoFont());
    item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
  item->setData(kErrorFirst, kFigureRole, qulonglong{first.count});
  item->setData(kErrorSecond, kFigureRole, qulonglong{second.count});
  item->setData(kFirstCost, kFigureRole, first.apCost);
  item->setData(kSecondCost, kFigureRole, second.apCost);
}

void ErrorTable::setErrors(const std::array<coco::ErrorCosts, 2>& both) {
  clear();
  for (std::size_t type = 0; type < coco::kErrorTypeCount; ++type) {
    const ErrorText text = errorText(static_cast<coco::ErrorType>(type));
    addRow(text.name, tr("%1 (“%2” in coco-eval)").arg(text.sentence, text.key),
           both[0].types.at(type), both[1].types.at(type));
    addLinks(topLevelItem(topLevelItemCount() - 1));
  }
  addRow(tr("all false positives"), {}, both[0].falsePositives, both[1].falsePositives);
  addRow(tr("all false negatives"), {}, both[0].falseNegatives, both[1].falseNegatives);
}

/// What there is none of leads nowhere.
void ErrorTable::addLinks(QTreeWidgetItem* item) {
  for (const int column : {kErrorFirst, kErrorSecond}) {
    if (item->data(column, kFigureRole).toULongLong() == 0) continue;
    item->setData(column, kLinkRole, true);
    item->setToolTip(column,
                     column == kErrorFirst ? tr("Lists those of A") : tr("Lists those of B"));
  }
}

void ErrorTable::choose(QTreeWidgetItem* item, int column) {
  const bool isOfColumn = column != kErrorName;
  const bool hasSecondMore = item->data(kErrorSecond, kFigureRole).toULongLong() >
                             item->data(kErrorFirst, kFigureRole).toULongLong();
  const bool isSecond =
      isOfColumn ? column == kErrorSecond || column == kSecondCost : hasSecondMore;
  if (!item->data(isSecond ? kErrorSecond : kErrorFirst, kLinkRole).toBool()) return;
  Q_EMIT errorChosen(isSecond ? 1 : 0, static_cast<coco::ErrorType>(indexOfTopLevelItem(item)));
}

}  // namespace lockstep::widgets
