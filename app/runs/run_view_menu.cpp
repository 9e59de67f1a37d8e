#include "app/runs/run_view_menu.h"

#include <QActionGroup>
#include <QFileInfo>
#include <QInputDialog>
#include <QRegularExpression>
#include <algorithm>

#include "app/models/run_list_model.h"
#include "app/models/run_tree.h"

namespace lockstep::app {
namespace {

RunTree::Grouping byRole(int role) {
  return [role](const QModelIndex& run) { return run.data(role).toString(); };
}

bool isExpression(const QString& grouping) { return grouping.startsWith(QLatin1Char('/')); }

RunTree::Grouping byExpression(const QRegularExpression& expression) {
  return [expression](const QModelIndex& run) {
    const auto match = expression.match(run.data(RunListModel::NameRole).toString());
    return match.captured(match.lastCapturedIndex() > 0 ? 1 : 0);
  };
}

/// nullptr: not one of these.
RunTree::Grouping groupingOf(const QString& by) {
  if (by == QLatin1String("folder")) {
    return [](const QModelIndex& run) {
      return QFileInfo(run.data(RunListModel::FolderRole).toString()).path();
    };
  }
  if (by == QLatin1String("state")) return byRole(RunListModel::StateTextRole);
  if (by == QLatin1String("program")) return byRole(RunListModel::ProgramRole);
  if (by == QLatin1String("tag")) {
    return [](const QModelIndex& run) {
      return run.data(RunListModel::TagsRole).toStringList().value(0);
    };
  }
  if (isExpression(by)) {
    const QRegularExpression expression(by.mid(1, by.size() - 2));
    if (expression.isValid()) return byExpression(expression);
  }
  return nullptr;
}

}  // namespace

RunViewMenu::RunViewMenu(RunTree* tree, QWidget* parent) : QMenu(parent), tree_(tree) {
  connect(this, &QMenu::aboutToShow, this, &RunViewMenu::fill);
}

void RunViewMenu::fill() {
  clear();
  fillColumns(addMenu(tr("Columns")));
  fillOrder(addMenu(tr("Sort by")));
  fillGroups(addMenu(tr("Group by")));
  addSeparator();
  QAction* archived = addAction(tr("Show archived runs"));
  archived->setCheckable(true);
  archived->setChecked(showsArchived_);
  connect(archived, &QAction::toggled, this, [this](bool shows) {
    showsArchived_ = shows;
    Q_EMIT archivedToggled();
  });
}

QStringList RunViewMenu::columnIds() const {
  QStringList ids;
  for (const RunColumn& column : tree_->columns()) ids.append(column.id);
  return ids;
}

void RunViewMenu::setColumns(const QStringList& ids) {
  std::vector<RunColumn> columns;
  for (const RunColumn& column : standardColumns())
    if (columns.empty() || ids.contains(column.id)) columns.push_back(column);
  tree_->setColumns(std::move(columns));
}

void RunViewMenu::fillColumns(QMenu* menu) {
  const QStringList shown = columnIds();
  for (const RunColumn& column : standardColumns()) {
    if (column.id == standardColumns().front().id) continue;
    QAction* action = menu->addAction(column.title);
    action->setCheckable(true);
    action->setChecked(shown.contains(column.id));
    connect(action, &QAction::toggled, this, [this, id = column.id](bool isShown) {
      QStringList ids = columnIds();
      if (isShown) {
        ids.append(id);
      } else {
        ids.removeAll(id);
      }
      setColumns(ids);
    });
  }
}

void RunViewMenu::fillOrder(QMenu* menu) {
  auto* group = new QActionGroup(menu);
  const auto add = [&](const QString& text, const QString& id) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setActionGroup(group);
    action->setChecked(id == tree_->sortId());
    connect(action, &QAction::triggered, this, [this, id] { tree_->sortBy(id); });
  };
  add(tr("Newest first, pinned on top"), {});
  for (const RunColumn& column : standardColumns()) add(column.title, column.id);
  menu->addSeparator();
  QAction* descending = menu->addAction(tr("Descending"));
  descending->setCheckable(true);
  descending->setEnabled(!tree_->sortId().isEmpty());
  descending->setChecked(tree_->sortOrder() == Qt::DescendingOrder);
  connect(descending, &QAction::toggled, this, [this](bool isDescending) {
    tree_->sortBy(tree_->sortId(), isDescending ? Qt::DescendingOrder : Qt::AscendingOrder);
  });
}

void RunViewMenu::fillGroups(QMenu* menu) {
  auto* group = new QActionGroup(menu);
  const auto add = [&](const QString& text, const QString& by) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setActionGroup(group);
    action->setChecked(by == grouping_);
    connect(action, &QAction::triggered, this, [this, by] { groupBy(by); });
  };
  add(tr("Nothing"), {});
  add(tr("Folder"), QStringLiteral("folder"));
  add(tr("State"), QStringLiteral("state"));
  add(tr("First tag"), QStringLiteral("tag"));
  add(tr("Program"), QStringLiteral("program"));
  if (isExpression(grouping_)) add(tr("Name: %1").arg(grouping_), grouping_);
  menu->addSeparator();
  menu->addAction(tr("Part of the name…"), this, &RunViewMenu::askForExpression);
}

void RunViewMenu::groupBy(const QString& by) {
  RunTree::Grouping grouping = groupingOf(by);
  grouping_ = grouping ? by : QString();
  tree_->setGrouping(std::move(grouping));
}

void RunViewMenu::askForExpression() {
  const QString before = isExpression(grouping_) ? grouping_.mid(1, grouping_.size() - 2)
                                                 : QStringLiteral("^(.*)-\\d+$");
  QString why;
  for (QString text = before;;) {
    bool isGiven = false;
    text = QInputDialog::getText(
        parentWidget(), tr("Group by part of the name"),
        tr("A regular expression: runs are grouped by its first (…), else by all that it "
           "matches.%1")
            .arg(why),
        QLineEdit::Normal, text, &isGiven);
    if (!isGiven) return;
    const QRegularExpression expression(text);
    if (expression.isValid()) return groupBy(u'/' + text + u'/');
    why = tr("\nNot valid: %1, at character %2.")
              .arg(expression.errorString())
              .arg(expression.patternErrorOffset() + 1);
  }
}

QVariantMap RunViewMenu::state() const {
  return {{QStringLiteral("columns"), columnIds()},
          {QStringLiteral("sort"), tree_->sortId()},
          {QStringLiteral("descending"), tree_->sortOrder() == Qt::DescendingOrder},
          {QStringLiteral("group"), grouping_},
          {QStringLiteral("archived"), showsArchived_}};
}

void RunViewMenu::restore(const QVariantMap& state) {
  setColumns(state.value(QStringLiteral("columns")).toStringList());
  const bool isDescending = state.value(QStringLiteral("descending")).toBool();
  tree_->sortBy(state.value(QStringLiteral("sort")).toString(),
                isDescending ? Qt::DescendingOrder : Qt::AscendingOrder);
  groupBy(state.value(QStringLiteral("group")).toString());
  showsArchived_ = state.value(QStringLiteral("archived")).toBool();
  Q_EMIT archivedToggled();
}

}  // namespace lockstep::app
