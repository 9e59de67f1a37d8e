#include "widgets/config_editor/fault_list.h"

#include <QEvent>
#include <QHeaderView>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <algorithm>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kRowPx = 26, kBetweenPx = 8, kMostPx = 5 * kRowPx, kFramePx = 6;
enum Column { Place, Text, Mend, kColumns };

/// As high as its text, broken at the width of the column: the tree does not ask for that itself.
class WrappedText : public QStyledItemDelegate {
 public:
  explicit WrappedText(QTreeWidget* list) : QStyledItemDelegate(list), list_(list) {}
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem inColumn = option;
    inColumn.rect = QRect(0, 0, list_->columnWidth(index.column()), kRowPx);
    return QStyledItemDelegate::sizeHint(inColumn, index) + QSize(0, kBetweenPx);
  }

 private:
  const QTreeWidget* list_;
};

}  // namespace

FaultList::FaultList(QWidget* parent) : QTreeWidget(parent) {
  setColumnCount(kColumns);
  setRootIsDecorated(false);
  setWordWrap(true);
  setItemDelegateForColumn(Text, new WrappedText(this));
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setHeaderHidden(true);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Problems"));
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(Place, QHeaderView::ResizeToContents);
  header()->setSectionResizeMode(Text, QHeaderView::Stretch);
  header()->setSectionResizeMode(Mend, QHeaderView::ResizeToContents);
  hide();
  const auto choose = [this](QTreeWidgetItem* item) {
    Q_EMIT faultChosen(indexOfTopLevelItem(item));
  };
  connect(this, &QTreeWidget::itemClicked, this, choose);
  connect(this, &QTreeWidget::itemActivated, this, choose);
  // Once the columns have found their widths: they are resized in the midst of a layout.
  connect(header(), &QHeaderView::sectionResized, this, &FaultList::fitHeight,
          Qt::QueuedConnection);
}

void FaultList::setFaults(const std::vector<DocumentFault>& faults) {
  faults_ = faults;
  clear();
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const DocumentFault& fault = faults[i];
    const QString mark = fault.isError ? QStringLiteral("●  ") : QStringLiteral("▲  ");
    const QString key =
        fault.key.empty() ? QString() : QString::fromStdString(fault.key) % QStringLiteral(": ");
    const QString text = key % QString::fromStdString(fault.text);
    auto* item =
        new QTreeWidgetItem(this, {mark % QString::fromStdString(fault.place), text, QString()});
    item->setToolTip(Text, text);
    item->setSizeHint(Mend, QSize(0, kRowPx));  // least height of the row
    if (fault.proposal.empty()) continue;
    auto* mend = new QPushButton(tr("Use %1").arg(QString::fromStdString(fault.proposal)));
    setRole(mend, "link");
    setItemWidget(item, Mend, mend);
    connect(mend, &QPushButton::clicked, this,
            [this, i] { Q_EMIT fixRequested(static_cast<int>(i)); });
  }
  colourRows();
  setVisible(!faults.empty());
  fitHeight();
}

/// As high as its rows, whose texts take as many lines as the width asks for; the rest is scrolled.
void FaultList::fitHeight() {
  doItemsLayout();
  int height = 0;
  for (int row = 0; row < topLevelItemCount() && height < kMostPx; ++row)
    height += visualItemRect(topLevelItem(row)).height();
  setFixedHeight(std::min(height, kMostPx) + kFramePx);
}

void FaultList::colourRows() {
  const Theme& theme = currentTheme();
  for (int row = 0; row < topLevelItemCount(); ++row) {
    const bool isError = faults_[static_cast<std::size_t>(row)].isError;
    topLevelItem(row)->setForeground(Place, isError ? theme.error : theme.warning);
    topLevelItem(row)->setFont(Place, monoFont(11));
    topLevelItem(row)->setFont(Text, interfaceFont(12));
  }
}

void FaultList::changeEvent(QEvent* event) {
  QTreeWidget::changeEvent(event);
  if (event->type() == QEvent::StyleChange) colourRows();
}

}  // namespace lockstep::widgets
