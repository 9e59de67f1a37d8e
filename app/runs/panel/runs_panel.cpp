#include "app/runs/panel/runs_panel.h"

#include <QAction>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/runs/list/run_list_model.h"
#include "app/runs/list/run_tree.h"
#include "app/runs/panel/run_menu.h"
#include "app/runs/panel/run_tree_view.h"
#include "app/runs/panel/run_view_menu.h"
#include "widgets/empty_state.h"
#include "widgets/named_action.h"
#include "widgets/role.h"

namespace lockstep::app {
RunsPanel::RunsPanel(RunListModel* model, QWidget* parent)
    : QWidget(parent), model_(model), tree_(new RunTree(model, this)) {
  buildUi();
  connectSignals();
  updateEmptyState();
}

void RunsPanel::buildUi() {
  widgets::setRole(this, "panel");
  filterText_ = new QLineEdit;
  filterText_->setPlaceholderText(tr("Filter: text, /regex/, solver.base_lr>0.01"));
  filterText_->setClearButtonEnabled(true);
  filterText_->setAccessibleName(tr("Filter runs"));
  filterText_->setToolTip(
      tr("Text or /regex/: runs whose name, tags, state or program has it.\n"
         "KEY OP VALUE: solver.base_lr>0.01, segm/AP>=0.4, state=failed, tag~lr, duration>2h;\n"
         "several must all hold. Hidden runs stay selected."));
  for (QLabel** note : {&filterFault_, &hiddenNote_, &listingError_}) {
    *note = new QLabel;
    (*note)->setWordWrap(true);
    (*note)->setMinimumWidth(1);  // a long path must not widen the panel
    (*note)->hide();
  }
  widgets::setRole(hiddenNote_, "muted");
  widgets::setRole(filterFault_, "warning");
  widgets::setRole(listingError_, "warning");
  list_ = new RunTreeView(tree_);
  viewButton_ = new QToolButton(this);
  viewButton_->setText(tr("View"));
  viewButton_->setToolTip(tr("Columns, order and groups of the list"));
  viewButton_->setPopupMode(QToolButton::InstantPopup);
  viewMenu_ = new RunViewMenu(tree_, &facts_, viewButton_);
  viewButton_->setMenu(viewMenu_);
  empty_ = new widgets::EmptyState;
  empty_->setCompact(true);

  auto* head = new QVBoxLayout;
  head->setContentsMargins(12, 4, 12, 0);
  head->setSpacing(8);
  head->addWidget(filterText_);
  head->addWidget(filterFault_);
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
          &RunsPanel::takeSelection);
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &RunsPanel::takeCurrent);
  connect(tree_, &QAbstractItemModel::layoutAboutToBeChanged, this,
          [this] { isSelecting_ = true; });
  connect(tree_, &QAbstractItemModel::modelAboutToBeReset, this, [this] { isSelecting_ = true; });
  connect(tree_, &RunTree::arranged, this, &RunsPanel::showSelection);
  connect(tree_, &RunTree::arranged, this, &RunsPanel::unfoldNewRuns);
  connect(tree_, &RunTree::arranged, this, &RunsPanel::arranged);
  connect(model_, &QAbstractItemModel::rowsInserted, this,
          [this](const QModelIndex&, int first, int last) {
            for (int row = first; row <= last; ++row)
              newRuns_.append(model_->index(row).data(RunListModel::FolderRole).toString());
          });
  connect(model_, &QAbstractItemModel::rowsRemoved, this, &RunsPanel::dropRemovedRuns);
  connect(viewMenu_, &RunViewMenu::archivedToggled, this, &RunsPanel::updateFilter);
  connect(model_, &QAbstractItemModel::rowsInserted, this, &RunsPanel::selectPending);
  connect(model_, &RunListModel::loaded, this, &RunsPanel::selectPending);
  connect(model_, &RunListModel::loaded, this, &RunsPanel::updateEmptyState);
  connect(model_, &RunListModel::placesChanged, this, &RunsPanel::updateEmptyState);
  connect(model_, &RunListModel::listingErrorChanged, this, &RunsPanel::updateListingError);
  connect(empty_, &widgets::EmptyState::actionTriggered, this, [this] {
    if (clearFilter()) return;
    if (model_->rowCount() > 0) return viewMenu_->showArchived();
    Q_EMIT emptyActionTriggered();
  });
  connect(list_, &QWidget::customContextMenuRequested, this, &RunsPanel::openMenu);
  connect(tree_, &RunTree::queueMoveRequested, this, &RunsPanel::queueMoveRequested);
  connect(tree_, &RunTree::renameRequested, this, [this](const QString& run, const QString& name) {
    Q_EMIT notesChangeRequested(
        {run}, [name](run_folder::RunNotes& notes) { notes.name = name.toStdString(); });
  });
  connect(&facts_, &RunFacts::changed, this, [this] {
    tree_->arrangeSoon();
    list_->viewport()->update();
  });
  connect(&facts_, &RunFacts::finished, this, &RunsPanel::updateFilterFault);
  connect(viewMenu_, &RunViewMenu::factsWanted, this, &RunsPanel::wantFacts);
  connect(viewMenu_, &RunViewMenu::groupingChosen, this, &RunsPanel::groupingChosen);
  connect(model_, &QAbstractItemModel::rowsInserted, this, &RunsPanel::wantFacts);
  connect(model_, &RunListModel::runChanged, this, [this](const QString& run) {
    if (needsFacts() && !RemotePlace::isRemote(run)) facts_.want({run});
  });
  addNamedActions();
  connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RunsPanel::updateActions);
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &RunsPanel::updateActions);
  connect(this, &RunsPanel::selectionChanged, this, &RunsPanel::updateActions);
  connect(tree_, &RunTree::arranged, this, &RunsPanel::updateActions);
  connect(tree_, &QAbstractItemModel::dataChanged, this, &RunsPanel::updateActions);
  updateFilter();
}

void RunsPanel::applyFilterText() {
  filter_.setText(filterText_->text());
  alwaysShown_.clear();
  wantFacts();
  updateFilterFault();
  updateFilter();
}

bool RunsPanel::needsFacts() const {
  return !filter_.requiredFacts().isEmpty() || viewMenu_->needsFacts();
}

/// Reads them for all runs, if something needs them: what is known and has not changed costs
/// little.
void RunsPanel::wantFacts() {
  if (!needsFacts()) return;
  QStringList runs;
  for (int row = 0; row < model_->rowCount(); ++row)
    if (const QModelIndex run = model_->index(row);
        run.data(RunListModel::HostRole).toString().isEmpty())
      runs.append(run.data(RunListModel::FolderRole).toString());
  facts_.want(runs);
}

void RunsPanel::updateFilterFault() {
  QString fault = filter_.fault();
  if (fault.isEmpty() && !filter_.requiredFacts().isEmpty() && !facts_.isReading())
    fault = filter_.unknownKey(facts_.keys());
  filterText_->setProperty("invalid", !fault.isEmpty());
  filterFault_->setText(fault);
  filterFault_->setVisible(!fault.isEmpty());
  filterText_->update();
}

void RunsPanel::updateFilter() {
  tree_->setFilter([this](const QModelIndex& run) {
    const QString folder = run.data(RunListModel::FolderRole).toString();
    if (alwaysShown_.contains(folder)) return true;
    if (!viewMenu_->showsArchived() && run.data(RunListModel::ArchivedRole).toBool()) return false;
    return filter_.isEmpty() || filter_.accepts(run, facts_.find(folder));
  });
  updateHiddenNote();
  updateEmptyState();
}

void RunsPanel::updateHiddenNote() {
  const bool isHidden = model_->rowOf(current_) >= 0 && !tree_->indexOf(current_).isValid();
  if (std::exchange(isCurrentHidden_, isHidden) != isHidden) Q_EMIT currentHiddenChanged();
  const int hidden = filter_.isEmpty() ? 0 : tree_->hiddenCount();
  hiddenNote_->setVisible(hidden > 0);
  if (hidden == 0) return;
  const auto chosen = std::ranges::count_if(
      selected_, [this](const QString& run) { return !tree_->indexOf(run).isValid(); });
  const QString text = tr("%1 of %2 hidden").arg(hidden).arg(model_->rowCount());
  hiddenNote_->setText(chosen == 0 ? text : text + tr(", %1 of them selected").arg(chosen));
}

void RunsPanel::updateListingError() {
  const QString error = model_->listingError();
  listingError_->setVisible(!error.isEmpty());
  listingError_->setText(tr("This list may be out of date or incomplete. %1").arg(error));
}

QString RunsPanel::groupOf(const QString& folder) const {
  return tree_->sectionTitle(tree_->parent(tree_->indexOf(folder)));
}

QStringList RunsPanel::selectedRuns() const {
  QStringList runs = selected_;
  if (runs.removeOne(current_)) runs.prepend(current_);
  return runs;
}

QStringList RunsPanel::selectedInView() const {
  QStringList runs;
  for (const QModelIndex& index : list_->selectionModel()->selectedRows())
    runs.append(tree_->folderOf(index));
  return runs;
}

/// Expands the groups of new runs. Runs that the filter hides wait until it is cleared.
void RunsPanel::unfoldNewRuns() {
  newRuns_.removeIf([this](const QString& run) {
    const QModelIndex index = tree_->indexOf(run);
    if (index.isValid()) list_->expand(index.parent());
    return index.isValid() || model_->rowOf(run) < 0;
  });
}

void RunsPanel::takeSelection() {
  if (isSelecting_) return;
  const QStringList shown = selectedInView();
  const QSet<QString> isShown(shown.begin(), shown.end());
  QStringList runs;
  for (const QString& run : selected_) {
    const bool staysHidden = !tree_->indexOf(run).isValid() && !list_->runSelection()->replaces();
    if (isShown.contains(run) || staysHidden) runs.append(run);
  }
  const QSet<QString> known(runs.begin(), runs.end());
  for (const QString& run : shown)
    if (!known.contains(run)) runs.append(run);
  const QString chosen = tree_->folderOf(list_->currentIndex());
  const bool isChosen = isShown.contains(chosen);
  setSelection(runs, isChosen ? chosen : runs.contains(current_) ? current_ : runs.value(0));
}

void RunsPanel::takeCurrent() {
  if (isSelecting_) return;
  const QString chosen = tree_->folderOf(list_->currentIndex());
  if (selected_.contains(chosen)) setSelection(selected_, chosen);
}

void RunsPanel::setSelection(const QStringList& runs, const QString& current) {
  if (runs == selected_ && current == current_) return;
  selected_ = runs;
  current_ = current;
  updateHiddenNote();
  Q_EMIT selectionChanged();
}

void RunsPanel::showSelection() {
  isSelecting_ = true;
  QItemSelection shown;
  for (const QString& run : selected_)
    if (const QModelIndex index = tree_->indexOf(run); index.isValid()) shown.select(index, index);
  QItemSelectionModel* selection = list_->selectionModel();
  selection->select(shown, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  if (const QModelIndex index = tree_->indexOf(current_); index.isValid())
    selection->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
  isSelecting_ = false;
  updateHiddenNote();
  updateEmptyState();
}

void RunsPanel::dropRemovedRuns() {
  QStringList runs = selected_;
  runs.removeIf([this](const QString& run) { return model_->rowOf(run) < 0; });
  setSelection(runs, runs.contains(current_) ? current_ : runs.value(0));
}

QVariantMap RunsPanel::viewState() const { return viewMenu_->state(); }

void RunsPanel::restoreViewState(const QVariantMap& state) { viewMenu_->restore(state); }

void RunsPanel::groupBy(const QString& by) { viewMenu_->groupBy(by); }

void RunsPanel::selectRun(const QString& folder) {
  pending_ = {folder};
  alwaysShown_.insert(folder);
  choseFirst_ = true;
  replacesSelection_ = true;
  selectPending();
}

bool RunsPanel::makeCurrent(const QString& folder) {
  if (!selected_.contains(folder)) return false;
  setSelection(selected_, folder);
  showSelection();
  return true;
}

void RunsPanel::addToSelection(const QString& folder) {
  pending_.append(folder);
  alwaysShown_.insert(folder);
  choseFirst_ = true;
  selectPending();
}

void RunsPanel::selectPending() {
  if (!model_->isLoaded()) return;  // to select in the order of the requests, not of the list
  // Without a request select the newest run, so that a reopened window shows it.
  if (!choseFirst_ && pending_.isEmpty() && model_->rowCount() > 0) {
    choseFirst_ = true;
    pending_ = {model_->index(0).data(RunListModel::FolderRole).toString()};
  }
  if (pending_.isEmpty()) return;
  tree_->arrange();
  QStringList runs = std::exchange(replacesSelection_, false) ? QStringList() : selected_;
  const auto isListed = [this](const QString& run) { return model_->rowOf(run) >= 0; };
  for (const QString& run : std::as_const(pending_))
    if (isListed(run) && !runs.contains(run)) runs.append(run);
  pending_.removeIf(isListed);
  setSelection(runs, runs.contains(current_) ? current_ : runs.value(0));
  showSelection();
  if (const QModelIndex index = tree_->indexOf(current_); index.isValid()) list_->scrollTo(index);
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
  const bool isEmpty = tree_->shownCount() == 0;
  const QString count = tr("%n run(s)", "", model_->rowCount());
  if (isEmpty && window()->focusWidget() == list_) setFocus();  // else the button would get it
  stack_->setCurrentIndex(isEmpty && model_->isLoaded() ? 1 : 0);
  if (!isEmpty) return;
  if (model_->rowCount() > 0 && filterText_->text().isEmpty()) {
    empty_->setContent(tr("Only archived runs"), tr("%1 in the archive.").arg(count),
                       tr("Show archived runs"));
  } else if (model_->rowCount() > 0) {
    empty_->setContent(tr("No match"),
                       tr("None of %1 matches “%2”.").arg(count, filterText_->text()),
                       tr("Clear the filter"));
  } else {
    empty_->setContent(tr("No runs yet"),
                       tr("There are no runs in\n%1").arg(model_->places().join(u'\n')),
                       tr("Open experiment…"));
  }
}

QString RunsPanel::resumeBlockedBy(const QModelIndex& run) {
  if (!run.isValid()) return tr("It is no longer listed.");
  if (const QString program = run.data(RunListModel::ProgramRole).toString(); !program.isEmpty())
    return tr("It is a run of %1, which is read-only here.").arg(program);
  if (const QString host = run.data(RunListModel::HostRole).toString(); !host.isEmpty())
    return tr("It is on %1: resume it there.").arg(host);
  if (run.data(RunListModel::AliveRole).toBool()) return tr("It is still running.");
  const auto state = run.data(RunListModel::StateRole).value<base::OpenEnum<protocol::RunState>>();
  if (state != protocol::RunState::Finished) return {};
  const bool isAtItsEnd = run.data(RunListModel::StepRole).toLongLong() >=
                          run.data(RunListModel::MaxStepsRole).toLongLong();
  return isAtItsEnd ? tr("It has reached solver.max_steps. To train for more steps, fork it from "
                         "its last checkpoint with a higher solver.max_steps.")
                    : tr("It stopped early. To continue with more patience, fork it from its last "
                         "checkpoint with a higher evaluation.early_stop.patience.");
}

void RunsPanel::openMenu(const QPoint& position) {
  const QString clicked = tree_->folderOf(list_->indexAt(position));
  if (clicked.isEmpty()) return;
  QStringList runs = selectedInView();
  if (!runs.removeOne(clicked)) runs.clear();  // beside the selection: that run alone
  runs.prepend(clicked);
  RunMenu menu(this, runs);
  menu.exec(list_->viewport()->mapToGlobal(position));
}

RunMenu* RunsPanel::makeMenu() {
  return tree_->indexOf(current_).isValid() ? new RunMenu(this, {current_}) : nullptr;
}

void RunsPanel::editName(const QString& folder) {
  const QModelIndex run = tree_->indexOf(folder);
  if (!tree_->flags(run).testFlag(Qt::ItemIsEditable)) return;
  list_->setCurrentIndex(run);
  list_->edit(run);
}

void RunsPanel::addNamedActions() {
  const auto add = [this](const char* id, const QString& text, const QKeySequence& keys,
                          const std::function<bool()>& isPossible,
                          const std::function<void()>& act) {
    QAction* action =
        widgets::addNamedAction(list_, widgets::ActionPlace::Runs, id, text, {keys}, act);
    actions_.push_back({action, isPossible});
  };
  const auto current = [this] { return tree_->folderOf(list_->currentIndex()); };
  const auto canMove = [this, current](int change) {
    return [this, current, change] { return canMoveInQueue(current(), change); };
  };
  const auto selectedHere = [this] {
    QStringList runs = selectedRuns();
    runs.removeIf([](const QString& run) { return RemotePlace::isRemote(run); });
    return runs;
  };
  add(
      "runs.rename", tr("Rename the run"), Qt::Key_F2, [current] { return !current().isEmpty(); },
      [this, current] { editName(current()); });
  add(
      "runs.tags", tr("Tags of the selected runs"), Qt::CTRL | Qt::Key_T,
      [this] { return list_->selectionModel()->hasSelection(); },
      [this] { RunMenu::askForTags(this, selectedInView()); });
  add(
      "runs.trash", tr("Move the selected runs to the trash"), QKeySequence::Delete,
      [selectedHere] { return !selectedHere().isEmpty(); },
      [this, selectedHere] { Q_EMIT trashRequested(selectedHere()); });
  restore_ = widgets::addNamedAction(this, widgets::ActionPlace::Runs, "runs.restore",
                                     tr("Bring the last runs back from the trash"),
                                     {QKeySequence::Undo}, [this] { Q_EMIT restoreRequested(); });
  restore_->setShortcutContext(Qt::WidgetWithChildrenShortcut);  // also of a list that is empty now
  setRestorable(false);
  add("runs.earlier_in_queue", tr("Earlier in the queue"), Qt::ALT | Qt::Key_Up, canMove(-1),
      [this, current] { moveInQueue(current(), -1); });
  add("runs.later_in_queue", tr("Later in the queue"), Qt::ALT | Qt::Key_Down, canMove(1),
      [this, current] { moveInQueue(current(), 1); });
  updateActions();
}

void RunsPanel::setRestorable(bool isRestorable) { restore_->setEnabled(isRestorable); }

void RunsPanel::updateActions() {
  for (const auto& [action, isPossible] : actions_) action->setEnabled(isPossible());
}

QVariant RunsPanel::positionBeside(const QString& folder, int change) const {
  const QModelIndex run = tree_->indexOf(folder);
  return run.siblingAtRow(run.row() + change).data(RunListModel::QueuePositionRole);
}

bool RunsPanel::canMoveInQueue(const QString& folder, int change) const {
  return positionBeside(folder, change).isValid();
}

void RunsPanel::moveInQueue(const QString& folder, int change) {
  const QVariant position = positionBeside(folder, change);
  if (position.isValid()) Q_EMIT queueMoveRequested(folder, position.toInt());
}

}  // namespace lockstep::app
