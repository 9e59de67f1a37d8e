#include "app/runs/panel/run_tree_view.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <algorithm>

#include "app/runs/list/run_tree.h"
#include "app/runs/panel/run_delegate.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kRunColumnPx = 230;

}  // namespace

void RunSelectionModel::select(const QItemSelection& selection, SelectionFlags command) {
  replaces_ = command.testFlag(Clear);
  QItemSelectionModel::select(selection, command);
  replaces_ = false;
}

RunTreeView::RunTreeView(RunTree* tree, QWidget* parent)
    : QTreeView(parent), tree_(tree), selection_(new RunSelectionModel(tree, this)) {
  setObjectName(QStringLiteral("runList"));
  setModel(tree);
  setSelectionModel(selection_);
  setItemDelegate(new RunDelegate(this));
  setSelectionMode(ExtendedSelection);
  setSelectionBehavior(SelectRows);
  setEditTriggers(NoEditTriggers);
  setVerticalScrollMode(ScrollPerPixel);
  setHorizontalScrollMode(ScrollPerPixel);
  setUniformRowHeights(true);
  setRootIsDecorated(false);
  setIndentation(0);
  setMouseTracking(true);
  setExpandsOnDoubleClick(false);
  setDragEnabled(true);
  setAcceptDrops(true);
  setDropIndicatorShown(true);
  setDragDropMode(InternalMove);
  setContextMenuPolicy(Qt::CustomContextMenu);
  setAccessibleName(tr("Runs"));
  header()->setStretchLastSection(true);
  header()->setSortIndicatorClearable(true);
  header()->setSortIndicator(-1, Qt::AscendingOrder);
  setSortingEnabled(true);
  connect(tree_, &QAbstractItemModel::modelReset, this, &RunTreeView::sizeColumns);
  connect(tree_, &RunTree::arranged, this, &RunTreeView::showSections);
  connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) {
    if (tree_->isSection(index)) setExpanded(index.siblingAtColumn(0), !isExpanded(index));
  });
  connect(this, &QTreeView::collapsed, this,
          [this](const QModelIndex& index) { closed_.insert(tree_->sectionTitle(index)); });
  connect(this, &QTreeView::expanded, this,
          [this](const QModelIndex& index) { closed_.remove(tree_->sectionTitle(index)); });
  sizeColumns();
  showSections();
}

/// Wide enough for the run itself; the others as wide as their cells. The last one takes the rest.
void RunTreeView::sizeColumns() {
  setHeaderHidden(tree_->columnCount() == 1);
  if (tree_->columnCount() == 1) return;
  setColumnWidth(0, widgets::scaledPx(kRunColumnPx));
  for (int column = 1; column < tree_->columnCount(); ++column) resizeColumnToContents(column);
}

void RunTreeView::showSections() {
  const auto sorted = std::ranges::find(tree_->columns(), tree_->sortId(), &RunColumn::id);
  const bool isShown = sorted != tree_->columns().end();
  const QSignalBlocker blocker(header());
  header()->setSortIndicator(isShown ? static_cast<int>(sorted - tree_->columns().begin()) : -1,
                             tree_->sortOrder());
  for (int row = 0; row < tree_->rowCount(); ++row) {
    const QModelIndex index = tree_->index(row, 0);
    if (!tree_->isSection(index)) break;
    setFirstColumnSpanned(row, {}, true);
    if (!closed_.contains(tree_->sectionTitle(index))) expand(index);
  }
}

QItemSelectionModel::SelectionFlags RunTreeView::selectionCommand(const QModelIndex& index,
                                                                  const QEvent* event) const {
  return tree_->folderOf(index).isEmpty()
             ? QItemSelectionModel::SelectionFlags(QItemSelectionModel::NoUpdate)
             : QTreeView::selectionCommand(index, event);
}

void RunTreeView::keyPressEvent(QKeyEvent* event) {
  if (tree_->isSection(currentIndex()) &&
      (event->key() == Qt::Key_Return || event->key() == Qt::Key_Space))
    return setExpanded(currentIndex(), !isExpanded(currentIndex()));
  QTreeView::keyPressEvent(event);
}

}  // namespace lockstep::app
