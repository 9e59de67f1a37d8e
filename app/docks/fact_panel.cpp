#include "app/docks/fact_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

enum Column { Name, Value, kColumns };
constexpr int kWidthInCharacters = 46, kLeastWidthInCharacters = 28, kMostNameInCharacters = 30;

/// Whether the rows below an item have these names, and as many parts each.
bool hasShapeOf(const QTreeWidgetItem* item, const std::vector<Inspected>& things) {
  if (item->childCount() != static_cast<int>(things.size())) return false;
  for (int i = 0; i < item->childCount(); ++i) {
    const Inspected& thing = things[static_cast<std::size_t>(i)];
    if (item->child(i)->text(Name) != thing.name || !hasShapeOf(item->child(i), thing.parts))
      return false;
  }
  return true;
}

void fill(QTreeWidgetItem* item, const std::vector<Inspected>& things) {
  for (std::size_t i = 0; i < things.size(); ++i) {
    QTreeWidgetItem* row = item->child(static_cast<int>(i));
    if (!row) row = new QTreeWidgetItem(item);
    row->setText(Name, things[i].name);
    row->setText(Value, things[i].value);
    row->setToolTip(Name, things[i].name);
    row->setToolTip(Value, things[i].value);
    fill(row, things[i].parts);
  }
}

/// Those that a person has closed: a thing's name does not change with its value.
QStringList closedThings(const QTreeWidget& tree) {
  QStringList closed;
  for (int i = 0; i < tree.topLevelItemCount(); ++i)
    if (const QTreeWidgetItem* item = tree.topLevelItem(i);
        item->childCount() > 0 && !item->isExpanded())
      closed.append(item->text(Name));
  return closed;
}

void addLines(const QTreeWidgetItem* item, QStringList& lines) {
  lines.append(item->text(Name) + u'\t' + item->text(Value));
  for (int i = 0; i < item->childCount(); ++i) addLines(item->child(i), lines);
}

/// Wraps values: they may be paths, and sentences that say how to select a thing.
class FactDelegate : public QStyledItemDelegate {
 public:
  explicit FactDelegate(QTreeWidget* tree) : QStyledItemDelegate(tree), tree_(tree) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem inOneLine(option);
    inOneLine.rect = QRect();
    const QSize size = QStyledItemDelegate::sizeHint(inOneLine, index);
    if (!isWrapped(index)) return size;
    const QFontMetrics metrics(option.font);
    const int margins = 2 * (tree_->style()->pixelMetric(QStyle::PM_FocusFrameHMargin) + 1);
    const QRect column(0, 0, std::max(1, tree_->columnWidth(Value) - margins), kMostHeightPx);
    const int wrapped =
        metrics.boundingRect(column, Qt::TextWordWrap, index.data().toString()).height();
    return {size.width(), size.height() + std::max(0, wrapped - metrics.height())};
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (isWrapped(index)) option->features |= QStyleOptionViewItem::WrapText;
    option->displayAlignment = Qt::AlignTop | Qt::AlignLeft;
  }

 private:
  static constexpr int kMostHeightPx = 10000;

  static bool isWrapped(const QModelIndex& index) {
    return index.column() == Value && !index.model()->hasChildren(index.siblingAtColumn(Name));
  }

  QTreeWidget* tree_;
};

}  // namespace

FactPanel::FactPanel(const QString& name, QWidget* parent) : QWidget(parent) { buildUi(name); }

void FactPanel::buildUi(const QString& name) {
  widgets::setRole(this, "panel");
  tree_ = new QTreeWidget;
  tree_->setAccessibleName(name);
  tree_->setColumnCount(kColumns);
  tree_->setHeaderLabels({tr("Fact"), tr("Value")});
  tree_->setHeaderHidden(true);
  tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  tree_->setTextElideMode(Qt::ElideRight);
  tree_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* delegate = new FactDelegate(tree_);
  tree_->setItemDelegate(delegate);
  tree_->setIndentation(fontMetrics().averageCharWidth() * 2);
  tree_->header()->setStretchLastSection(true);
  connect(tree_->header(), &QHeaderView::sectionResized, delegate, [delegate](int section) {
    if (section == Value) Q_EMIT delegate->sizeHintChanged(QModelIndex());
  });
  connect(tree_, &QTreeWidget::itemExpanded, this, &FactPanel::fitNames);
  tree_->setContextMenuPolicy(Qt::ActionsContextMenu);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 0, 0, 4);
  column->addWidget(tree_);
}

void FactPanel::addNamedActions() {
  using widgets::ActionPlace;
  widgets::addNamedAction(tree_, ActionPlace::Inspector, "inspector.copy", tr("Copy the values"),
                          {QKeySequence::Copy}, [this] { copy(); });
  widgets::addNamedAction(tree_, ActionPlace::Inspector, "inspector.copy_all", tr("Copy all facts"),
                          {}, [this] { copyAll(); });
}

QSize FactPanel::sizeHint() const {
  return {fontMetrics().averageCharWidth() * kWidthInCharacters, fontMetrics().height() * 12};
}

QSize FactPanel::minimumSizeHint() const {
  return {fontMetrics().averageCharWidth() * kLeastWidthInCharacters,
          QWidget::minimumSizeHint().height()};
}

void FactPanel::setThings(const std::vector<Inspected>& things) {
  QTreeWidgetItem* root = tree_->invisibleRootItem();
  const bool isOther = !hasShapeOf(root, things);
  const QStringList closed = isOther ? closedThings(*tree_) : QStringList();
  if (isOther) tree_->clear();
  fill(root, things);
  if (!isOther) return;
  for (int i = 0; i < root->childCount(); ++i) {
    QTreeWidgetItem* item = root->child(i);
    item->setFont(Name, widgets::interfaceFont(13, QFont::DemiBold));
    item->setExpanded(!closed.contains(item->text(Name)));
    for (int k = 0; k < item->childCount(); ++k) item->child(k)->setExpanded(true);
  }
  fitNames();
}

/// A name is elided before the values, which wrap, have less than a third of the width.
void FactPanel::fitNames() {
  tree_->resizeColumnToContents(Name);
  const int most = std::min(fontMetrics().averageCharWidth() * kMostNameInCharacters,
                            tree_->viewport()->width() * 2 / 3);
  if (tree_->columnWidth(Name) > most) tree_->setColumnWidth(Name, most);
}

void FactPanel::copy() {
  QStringList values;
  for (const QTreeWidgetItem* item : tree_->selectedItems()) values.append(item->text(Value));
  if (values.isEmpty()) return copyAll();
  QGuiApplication::clipboard()->setText(values.join(u'\n'));
}

void FactPanel::copyAll() {
  QStringList lines;
  for (int i = 0; i < tree_->topLevelItemCount(); ++i) addLines(tree_->topLevelItem(i), lines);
  QGuiApplication::clipboard()->setText(lines.join(u'\n'));
}

void FactPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fitNames();
  Q_EMIT shown();
}

void FactPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitNames();
}

}  // namespace lockstep::app
