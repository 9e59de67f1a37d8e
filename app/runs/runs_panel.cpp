#include "app/runs/runs_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QScopedValueRollback>
#include <QStackedLayout>
#include <QUrl>
#include <QVBoxLayout>
#include <chrono>
#include <utility>

#include "app/models/run_list_model.h"
#include "app/runs/run_delegate.h"
#include "widgets/empty_state.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

/// A list in which a click on empty space does not clear the selection.
class RunListView : public QListView {
 public:
  using QListView::QListView;

 protected:
  QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index,
                                                       const QEvent* event) const override {
    return index.isValid() ? QListView::selectionCommand(index, event)
                           : QItemSelectionModel::SelectionFlags(QItemSelectionModel::NoUpdate);
  }
};

}  // namespace

RunsPanel::RunsPanel(RunListModel* model, QWidget* parent) : QWidget(parent), model_(model) {
  buildUi();
  connectSignals();
  updateEmptyState();
}

void RunsPanel::buildUi() {
  widgets::setRole(this, "panel");
  setAttribute(Qt::WA_StyledBackground);
  auto* title = new QLabel(tr("Runs"));
  widgets::setRole(title, "section");
  filterText_ = new QLineEdit;
  filterText_->setPlaceholderText(tr("Filter name or /regex/"));
  filterText_->setClearButtonEnabled(true);
  filterText_->setAccessibleName(tr("Filter runs"));
  for (QLabel** note : {&hiddenNote_, &listingError_}) {
    *note = new QLabel;
    (*note)->setWordWrap(true);
    (*note)->setTextFormat(Qt::PlainText);
    (*note)->setMinimumWidth(1);  // a long path must not widen the panel
    (*note)->hide();
  }
  widgets::setRole(hiddenNote_, "muted");
  widgets::setRole(listingError_, "warning");
  list_ = new RunListView;
  list_->setObjectName(QStringLiteral("runList"));
  list_->setModel(model_);
  list_->setItemDelegate(new RunDelegate(list_));
  list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setUniformItemSizes(true);
  list_->setMouseTracking(true);
  list_->setContextMenuPolicy(Qt::CustomContextMenu);
  list_->setAccessibleName(tr("Runs"));
  empty_ = new widgets::EmptyState;
  empty_->setCompact(true);

  auto* head = new QVBoxLayout;
  head->setContentsMargins(12, 14, 12, 0);
  head->setSpacing(8);
  head->addWidget(title);
  head->addWidget(filterText_);
  head->addWidget(hiddenNote_);
  head->addWidget(listingError_);
  stack_ = new QStackedLayout;
  stack_->addWidget(list_);
  stack_->addWidget(empty_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  column->addLayout(head);
  column->addLayout(stack_, 1);
  debounce_.setSingleShot(true);
  debounce_.setInterval(std::chrono::milliseconds(150));
}

void RunsPanel::connectSignals() {
  connect(filterText_, &QLineEdit::textChanged, &debounce_, qOverload<>(&QTimer::start));
  connect(&debounce_, &QTimer::timeout, this, &RunsPanel::applyFilterText);
  connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          [this](const QItemSelection& selected) {
            deselectHiddenRows(selected);
            updateSelection();
          });
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &RunsPanel::updateSelection);
  connect(model_, &QAbstractItemModel::rowsInserted, this,
          [this](const QModelIndex&, int first, int last) { applyFilter(first, last); });
  connect(model_, &QAbstractItemModel::rowsRemoved, this, [this] { applyFilter(0, -1); });
  // The filter matches states, too, which change.
  connect(model_, &QAbstractItemModel::dataChanged, this,
          [this](const QModelIndex& first, const QModelIndex& last) {
            if (!filter_.isEmpty()) applyFilter(first.row(), last.row());
          });
  connect(model_, &QAbstractItemModel::rowsInserted, this, &RunsPanel::selectPending);
  connect(model_, &RunListModel::loaded, this, &RunsPanel::selectPending);
  connect(model_, &RunListModel::loaded, this, &RunsPanel::updateEmptyState);
  connect(model_, &RunListModel::listingErrorChanged, this, &RunsPanel::updateListingError);
  connect(empty_, &widgets::EmptyState::actionTriggered, this, [this] {
    if (!clearFilter()) Q_EMIT emptyActionTriggered();
  });
  connect(list_, &QListView::customContextMenuRequested, this, &RunsPanel::openMenu);
}

void RunsPanel::applyFilterText() {
  const bool valid = filter_.setText(filterText_->text());
  filterText_->setProperty("invalid", !valid);
  filterText_->setToolTip(valid ? QString() : tr("Not a valid regular expression"));
  widgets::repolish(filterText_);
  alwaysShown_.clear();
  applyFilter(0, model_->rowCount() - 1);
}

void RunsPanel::applyFilter(int first, int last) {
  for (int row = first; row <= last; ++row) {
    const QModelIndex run = model_->index(row);
    const bool hidden = !filter_.accepts(run) &&
                        !alwaysShown_.contains(run.data(RunListModel::FolderRole).toString());
    if (hidden != list_->isRowHidden(row)) list_->setRowHidden(row, hidden);
  }
  updateHiddenNote();
  updateEmptyState();
}

int RunsPanel::hiddenCount() const {
  int count = 0;
  if (filter_.isEmpty()) return count;
  for (int row = 0; row < model_->rowCount(); ++row) count += list_->isRowHidden(row);
  return count;
}

void RunsPanel::updateHiddenNote() {
  const QModelIndex current = model_->index(model_->rowOf(current_));
  const bool isHidden = current.isValid() && list_->isRowHidden(current.row());
  if (std::exchange(isCurrentHidden_, isHidden) != isHidden) Q_EMIT currentHiddenChanged();
  const int hidden = hiddenCount();
  hiddenNote_->setVisible(hidden > 0);
  if (hidden == 0) return;
  int chosen = 0;
  for (const QModelIndex& index : list_->selectionModel()->selectedIndexes())
    chosen += list_->isRowHidden(index.row());
  const QString text = tr("%1 of %2 hidden").arg(hidden).arg(model_->rowCount());
  hiddenNote_->setText(chosen == 0 ? text : text + tr(", %1 of them selected").arg(chosen));
}

void RunsPanel::updateListingError() {
  const QString error = model_->listingError();
  listingError_->setVisible(!error.isEmpty());
  listingError_->setText(tr("This list may be out of date. %1").arg(error));
}

/// "Select all" and ranges must not select hidden rows.
void RunsPanel::deselectHiddenRows(const QItemSelection& selected) {
  if (isSelecting_) return;
  QItemSelection hidden;
  for (const QModelIndex& index : selected.indexes())
    if (list_->isRowHidden(index.row())) hidden.select(index, index);
  if (hidden.isEmpty()) return;
  const QScopedValueRollback<bool> guard(isSelecting_, true);
  list_->selectionModel()->select(hidden, QItemSelectionModel::Deselect);
}

QStringList RunsPanel::selectedRuns() const {
  QStringList runs;
  for (const QModelIndex& index : list_->selectionModel()->selectedIndexes())
    runs.append(index.data(RunListModel::FolderRole).toString());
  if (runs.removeOne(current_)) runs.prepend(current_);
  return runs;
}

void RunsPanel::updateSelection() {
  const QModelIndex index = list_->selectionModel()->currentIndex();
  const bool selected = index.isValid() && list_->selectionModel()->isSelected(index);
  const QModelIndexList all = list_->selectionModel()->selectedIndexes();
  current_ = selected         ? index.data(RunListModel::FolderRole).toString()
             : !all.isEmpty() ? all.first().data(RunListModel::FolderRole).toString()
                              : QString();
  updateHiddenNote();
  Q_EMIT selectionChanged();
}

void RunsPanel::selectRun(const QString& folder) {
  pending_ = {folder};
  alwaysShown_.insert(folder);
  choseFirst_ = true;
  list_->selectionModel()->clearSelection();
  selectPending();
}

void RunsPanel::addToSelection(const QString& folder) {
  pending_.append(folder);
  alwaysShown_.insert(folder);
  choseFirst_ = true;
  selectPending();
}

void RunsPanel::selectPending() {
  if (!model_->isLoaded()) return;  // to select in the order of the requests, not of the list
  QItemSelectionModel* selection = list_->selectionModel();
  // Without a request select the newest run, so that a reopened window shows it.
  if (!choseFirst_ && pending_.isEmpty() && model_->rowCount() > 0) {
    choseFirst_ = true;
    pending_ = {model_->index(0).data(RunListModel::FolderRole).toString()};
  }
  if (pending_.isEmpty()) return;
  applyFilter(0, model_->rowCount() - 1);
  const QScopedValueRollback<bool> guard(isSelecting_, true);
  const QStringList folders = pending_;
  for (const QString& folder : folders) {
    const int row = model_->rowOf(folder);
    if (row < 0) continue;
    const QModelIndex index = model_->index(row);
    pending_.removeAll(folder);
    if (selection->hasSelection()) {
      selection->select(index, QItemSelectionModel::Select);
    } else {
      selection->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect);
    }
  }
}

void RunsPanel::focusList() { list_->setFocus(Qt::OtherFocusReason); }

void RunsPanel::focusFilter() {
  filterText_->setFocus(Qt::ShortcutFocusReason);
  filterText_->selectAll();
}

bool RunsPanel::clearFilter() {
  if (filterText_->text().isEmpty()) return false;
  filterText_->clear();
  applyFilterText();
  return true;
}

void RunsPanel::updateEmptyState() {
  const bool isEmpty = hiddenCount() == model_->rowCount();
  if (isEmpty && window()->focusWidget() == list_) setFocus();  // else the button would get it
  stack_->setCurrentIndex(isEmpty && model_->isLoaded() ? 1 : 0);
  if (!isEmpty) return;
  if (model_->rowCount() > 0) {
    empty_->setContent(
        tr("No match"),
        tr("None of %1 has “%2” in name or state.")
            .arg(model_->rowCount() == 1 ? tr("1 run") : tr("%1 runs").arg(model_->rowCount()),
                 filterText_->text()),
        tr("Clear the filter"));
  } else {
    empty_->setContent(tr("No runs yet"),
                       tr("There are no runs in\n%1").arg(model_->parentFolder()),
                       tr("Open experiment…"));
  }
}

QString RunsPanel::resumeBlockedBy(const QModelIndex& run) {
  if (const QString program = run.data(RunListModel::ProgramRole).toString(); !program.isEmpty())
    return tr("It is a run of %1: it is read, and never written.").arg(program);
  if (const QString host = run.data(RunListModel::HostRole).toString(); !host.isEmpty())
    return tr("It is on %1: resume it there.").arg(host);
  if (run.data(RunListModel::AliveRole).toBool()) return tr("It is still running.");
  const auto state = run.data(RunListModel::StateRole).value<base::OpenEnum<protocol::RunState>>();
  if (state != protocol::RunState::Finished) return {};
  const bool isAtItsEnd = run.data(RunListModel::StepRole).toLongLong() >=
                          run.data(RunListModel::MaxStepsRole).toLongLong();
  const QString line = QStringLiteral("lockstep-engine train %1 --resume --set %2")
                           .arg(run.data(RunListModel::FolderRole).toString());
  return isAtItsEnd ? tr("It has reached solver.max_steps. To train for more steps:\n%1")
                          .arg(line.arg(QStringLiteral("solver.max_steps=N")))
                    : tr("It stopped early. To continue with more patience:\n%1")
                          .arg(line.arg(QStringLiteral("evaluation.early_stop.patience=N")));
}

void RunsPanel::openMenu(const QPoint& position) {
  const QModelIndex index = list_->indexAt(position);
  if (!index.isValid()) return;
  const QString folder = index.data(RunListModel::FolderRole).toString();
  QMenu menu(this);
  QAction* resume = menu.addAction(tr("Resume from the latest checkpoint"), this,
                                   [this, folder] { Q_EMIT resumeRequested(folder); });
  const QString blocked = resumeBlockedBy(index);
  resume->setEnabled(blocked.isEmpty());
  resume->setToolTip(blocked);
  menu.setToolTipsVisible(true);
  QAction* copy = menu.addAction(tr("Duplicate configuration\tCtrl+D"), this,
                                 [this, folder] { Q_EMIT copyConfigRequested(folder); });
  const bool isHere = index.data(RunListModel::HostRole).toString().isEmpty();
  copy->setEnabled(isHere && index.data(RunListModel::ProgramRole).toString().isEmpty());
  menu.addSeparator();
  QAction* open = menu.addAction(tr("Open folder"), this, [folder] {
    QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
  });
  open->setEnabled(isHere);
  menu.addAction(tr("Copy path"), this, [folder] { QApplication::clipboard()->setText(folder); });
  menu.exec(list_->viewport()->mapToGlobal(position));
}

}  // namespace lockstep::app
