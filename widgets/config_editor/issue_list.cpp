#include "widgets/config_editor/issue_list.h"

#include <QApplication>
#include <QEvent>
#include <QHeaderView>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <algorithm>

#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kBetweenPx = 8, kMostRows = 5, kFramePx = 6;
int rowPx() { return scaledPx(26); }
enum Column { Place, Text, Fix, kColumns };

/// As tall as its text when wrapped at the width of the column, which QTreeWidget does not compute.
class WrappedText : public QStyledItemDelegate {
 public:
  explicit WrappedText(QTreeWidget* list) : QStyledItemDelegate(list), list_(list) {}
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem inColumn = option;
    inColumn.rect = QRect(0, 0, list_->columnWidth(index.column()), rowPx());
    return QStyledItemDelegate::sizeHint(inColumn, index) + QSize(0, kBetweenPx);
  }

 private:
  const QTreeWidget* list_;
};

}  // namespace

IssueList::IssueList(QWidget* parent) : QTreeWidget(parent) {
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
  header()->setSectionResizeMode(Fix, QHeaderView::ResizeToContents);
  hide();
  const auto choose = [this](QTreeWidgetItem* item) {
    Q_EMIT issueChosen(indexOfTopLevelItem(item));
  };
  connect(this, &QTreeWidget::itemClicked, this, choose);
  connect(this, &QTreeWidget::itemActivated, this, choose);
  // Queued, because columns are resized during a layout: wait until all have their widths.
  connect(header(), &QHeaderView::sectionResized, this, &IssueList::fitHeight,
          Qt::QueuedConnection);
}

/// Who was in the list stays there, at the same row.
void IssueList::setIssues(const std::vector<DocumentIssue>& issues) {
  const bool hadFocus = hasFocus() || isAncestorOf(QApplication::focusWidget());
  const int row = std::max(0, indexOfTopLevelItem(currentItem()));
  if (hadFocus) setFocus(Qt::OtherFocusReason);
  issues_ = issues;
  clear();
  for (std::size_t i = 0; i < issues.size(); ++i) {
    const DocumentIssue& issue = issues[i];
    const QString mark = issue.isError ? QStringLiteral("●  ") : QStringLiteral("▲  ");
    const QString key =
        issue.key.empty() ? QString() : QString::fromStdString(issue.key) % QStringLiteral(": ");
    const QString text = key % QString::fromStdString(issue.text);
    auto* item =
        new QTreeWidgetItem(this, {mark % QString::fromStdString(issue.position), text, QString()});
    item->setToolTip(Text, text);
    item->setSizeHint(Fix, QSize(0, rowPx()));  // minimum height of the row
    if (issue.suggestion.empty()) continue;
    auto* fix = new QPushButton(tr("Replace"));
    fix->setToolTip(tr("Replace with %1").arg(QString::fromStdString(issue.suggestion)));
    fix->setAccessibleDescription(fix->toolTip());
    setRole(fix, "link");
    setItemWidget(item, Fix, fix);
    connect(fix, &QPushButton::clicked, this, [this, i, item] {
      setCurrentItem(item);
      Q_EMIT fixRequested(static_cast<int>(i));
    });
  }
  colorRows();
  if (hadFocus && issues.empty()) Q_EMIT emptied();
  setVisible(!issues.empty());
  fitHeight();
  if (hadFocus) setCurrentItem(topLevelItem(std::min(row, topLevelItemCount() - 1)));
}

/// As tall as its rows, whose texts wrap at the width; beyond kMostRows the list scrolls.
void IssueList::fitHeight() {
  doItemsLayout();
  int height = 0;
  for (int row = 0; row < topLevelItemCount() && height < kMostRows * rowPx(); ++row)
    height += visualItemRect(topLevelItem(row)).height();
  setFixedHeight(std::min(height, kMostRows * rowPx()) + kFramePx);
}

void IssueList::colorRows() {
  const Theme& theme = currentTheme();
  for (int row = 0; row < topLevelItemCount(); ++row) {
    const bool isError = issues_[static_cast<std::size_t>(row)].isError;
    topLevelItem(row)->setForeground(Place, isError ? theme.error : theme.warning);
    topLevelItem(row)->setFont(Place, monoFont(11));
    topLevelItem(row)->setFont(Text, interfaceFont(12));
  }
}

void IssueList::changeEvent(QEvent* event) {
  QTreeWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) colorRows();
}

}  // namespace lockstep::widgets
