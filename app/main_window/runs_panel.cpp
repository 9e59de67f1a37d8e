#include "app/main_window/runs_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QRegularExpression>
#include <QStackedLayout>
#include <QUrl>
#include <QVBoxLayout>
#include <chrono>

#include "app/main_window/run_delegate.h"
#include "app/main_window/run_state_text.h"
#include "app/models/run_list_model.h"
#include "widgets/empty_state.h"
#include "widgets/icon.h"
#include "widgets/theme.h"

namespace lockstep::app {

bool RunFilter::setFilterText(const QString& text) {
  const bool isExpression =
      text.size() > 2 && text.startsWith(QLatin1Char('/')) && text.endsWith(QLatin1Char('/'));
  const QRegularExpression expression(
      isExpression ? text.mid(1, text.size() - 2) : QRegularExpression::escape(text.trimmed()),
      QRegularExpression::CaseInsensitiveOption);
  if (!expression.isValid()) return false;
  setFilterRegularExpression(expression);
  return true;
}

bool RunFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex index = sourceModel()->index(row, 0, parent);
  const QString text = index.data(RunListModel::NameRole).toString() + QLatin1Char(' ') +
                       index.data(RunListModel::StateRole).toString();
  return filterRegularExpression().match(text).hasMatch();
}

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
  filter_ = new QLineEdit;
  filter_->setPlaceholderText(tr("Filter name or /regex/"));
  filter_->setClearButtonEnabled(true);
  filter_->setAccessibleName(tr("Filter runs"));
  proxy_ = new RunFilter(this);
  proxy_->setSourceModel(model_);
  list_ = new QListView;
  list_->setObjectName(QStringLiteral("runList"));
  list_->setModel(proxy_);
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
  head->addWidget(filter_);
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
  connect(filter_, &QLineEdit::textChanged, &debounce_, qOverload<>(&QTimer::start));
  connect(&debounce_, &QTimer::timeout, this, [this] {
    const bool valid = proxy_->setFilterText(filter_->text());
    filter_->setProperty("fault", !valid);
    filter_->setToolTip(valid ? QString() : tr("This is not a regular expression"));
    widgets::repolish(filter_);
    updateEmptyState();
  });
  connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RunsPanel::takeSelection);
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &RunsPanel::takeSelection);
  connect(model_, &QAbstractItemModel::rowsInserted, this, &RunsPanel::selectWanted);
  connect(model_, &RunListModel::loaded, this, &RunsPanel::selectWanted);
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(proxy_, signal, this, &RunsPanel::updateEmptyState);
  connect(model_, &RunListModel::loaded, this, &RunsPanel::updateEmptyState);
  connect(empty_, &widgets::EmptyState::actionTriggered, this, [this] {
    if (!clearFilter()) Q_EMIT emptyActionTriggered();
  });
  connect(list_, &QListView::customContextMenuRequested, this, &RunsPanel::openMenu);
}

QStringList RunsPanel::selectedRuns() const {
  QStringList runs;
  for (const QModelIndex& index : list_->selectionModel()->selectedIndexes())
    runs.append(index.data(RunListModel::FolderRole).toString());
  if (runs.removeOne(current_)) runs.prepend(current_);
  return runs;
}

void RunsPanel::takeSelection() {
  const QModelIndex index = list_->selectionModel()->currentIndex();
  const bool selected = index.isValid() && list_->selectionModel()->isSelected(index);
  const QModelIndexList all = list_->selectionModel()->selectedIndexes();
  current_ = selected         ? index.data(RunListModel::FolderRole).toString()
             : !all.isEmpty() ? all.first().data(RunListModel::FolderRole).toString()
                              : QString();
  Q_EMIT selectionChanged();
}

void RunsPanel::selectRun(const QString& folder) {
  wanted_ = {folder};
  choseFirst_ = true;
  list_->selectionModel()->clearSelection();
  selectWanted();
}

void RunsPanel::addToSelection(const QString& folder) {
  wanted_.append(folder);
  choseFirst_ = true;
  selectWanted();
}

void RunsPanel::selectWanted() {
  if (!model_->isLoaded()) return;  // in the order they were asked for, not in that of the listing
  QItemSelectionModel* selection = list_->selectionModel();
  // Nothing asked for: the newest run, so that a window opened again shows where one was.
  if (!choseFirst_ && wanted_.isEmpty() && model_->rowCount() > 0) {
    choseFirst_ = true;
    wanted_ = {model_->index(0).data(RunListModel::FolderRole).toString()};
  }
  const QStringList wanted = wanted_;
  for (const QString& folder : wanted) {
    const int row = model_->rowOf(folder);
    const QModelIndex index = row < 0 ? QModelIndex() : proxy_->mapFromSource(model_->index(row));
    if (!index.isValid()) continue;
    wanted_.removeAll(folder);
    if (selection->hasSelection()) {
      selection->select(index, QItemSelectionModel::Select);
    } else {
      selection->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect);
    }
  }
}

void RunsPanel::focusList() { list_->setFocus(Qt::OtherFocusReason); }

void RunsPanel::focusFilter() {
  filter_->setFocus(Qt::ShortcutFocusReason);
  filter_->selectAll();
}

bool RunsPanel::clearFilter() {
  if (filter_->text().isEmpty()) return false;
  filter_->clear();
  proxy_->setFilterText({});
  updateEmptyState();
  return true;
}

void RunsPanel::updateEmptyState() {
  const bool isEmpty = proxy_->rowCount() == 0;
  if (isEmpty && window()->focusWidget() == list_) setFocus();  // or it would go to the button
  stack_->setCurrentIndex(isEmpty && model_->isLoaded() ? 1 : 0);
  if (!isEmpty) return;
  if (model_->rowCount() > 0) {
    empty_->setContent(
        tr("No match"),
        tr("None of %n run(s) has “%1” in name or state.", nullptr, model_->rowCount())
            .arg(filter_->text()),
        tr("Clear the filter"));
  } else {
    empty_->setContent(tr("No runs yet"),
                       tr("Nothing was trained in\n%1").arg(model_->parentFolder()),
                       tr("Open experiment…"));
  }
}

void RunsPanel::openMenu(const QPoint& position) {
  const QModelIndex index = list_->indexAt(position);
  if (!index.isValid()) return;
  const QString folder = index.data(RunListModel::FolderRole).toString();
  QMenu menu(this);
  QAction* resume = menu.addAction(tr("Resume from the newest checkpoint"), this,
                                   [this, folder] { Q_EMIT resumeRequested(folder); });
  resume->setEnabled(!index.data(RunListModel::AliveRole).toBool());
  menu.addAction(tr("Edit a copy of its configuration\tCtrl+D"), this,
                 [this, folder] { Q_EMIT copyConfigRequested(folder); });
  menu.addSeparator();
  menu.addAction(tr("Open the folder"), this,
                 [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
  menu.addAction(tr("Copy the path"), this,
                 [folder] { QApplication::clipboard()->setText(folder); });
  menu.exec(list_->viewport()->mapToGlobal(position));
}

}  // namespace lockstep::app
