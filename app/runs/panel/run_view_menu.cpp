#include "app/runs/panel/run_view_menu.h"

#include <QActionGroup>
#include <QFileInfo>
#include <QInputDialog>
#include <algorithm>

#include "app/runs/list/run_facts.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/list/run_tree.h"
#include "app/text/bounded_expression.h"
#include "widgets/literal_text.h"

namespace lockstep::app {
namespace {

/// `otherwise`: title of the runs without such a value.
RunTree::Grouping byRole(int role, const QString& otherwise) {
  return [role, otherwise](const QModelIndex& run) {
    const QString value = run.data(role).toString();
    return value.isEmpty() ? otherwise : value;
  };
}

bool isExpression(const QString& grouping) { return grouping.startsWith(QLatin1Char('/')); }

RunTree::Grouping byExpression(const QRegularExpression& expression) {
  return [expression](const QModelIndex& run) {
    const auto match = expression.match(run.data(RunListModel::NameRole).toString());
    const QString part = match.captured(match.lastCapturedIndex() > 0 ? 1 : 0);
    return part.isEmpty() ? RunViewMenu::tr("other names") : part;
  };
}

RunTree::Grouping byKey(const RunFacts& facts, const QString& key) {
  return [&facts, key](const QModelIndex& run) {
    const Facts* known = facts.find(run.data(RunListModel::FolderRole).toString());
    const QString* value = known ? known->config(key) : nullptr;
    if (value) return QStringLiteral("%1 = %2").arg(key, *value);
    const bool isRead = known && known->fault.isEmpty();
    return (isRead ? RunViewMenu::tr("%1 not set") : RunViewMenu::tr("%1 not read")).arg(key);
  };
}

/// nullptr: no groups.
RunTree::Grouping groupingOf(const QString& by, const RunFacts& facts) {
  if (by == QLatin1String("folder")) {
    return [](const QModelIndex& run) {
      return QFileInfo(run.data(RunListModel::FolderRole).toString()).path();
    };
  }
  if (by == QLatin1String("state"))
    return byRole(RunListModel::StateTextRole, RunViewMenu::tr("state unknown"));
  if (by == QLatin1String("program"))
    return byRole(RunListModel::ProgramRole, QStringLiteral("Lockstep"));
  if (by == QLatin1String("tag")) {
    return [](const QModelIndex& run) {
      return run.data(RunListModel::TagsRole).toStringList().value(0, RunViewMenu::tr("no tag"));
    };
  }
  if (isExpression(by)) {
    const QRegularExpression expression = boundedExpression(by.mid(1, by.size() - 2));
    return expression.isValid() ? byExpression(expression) : nullptr;
  }
  return by.isEmpty() ? nullptr : byKey(facts, by);
}

}  // namespace

RunViewMenu::RunViewMenu(RunTree* tree, const RunFacts* facts, QWidget* parent)
    : QMenu(parent), tree_(tree), facts_(facts) {
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

void RunViewMenu::showArchived() {
  showsArchived_ = true;
  Q_EMIT archivedToggled();
}

QStringList RunViewMenu::columnIds() const {
  QStringList ids;
  for (const RunColumn& column : tree_->columns()) ids.append(column.id);
  return ids;
}

void RunViewMenu::setColumns(const QStringList& ids) {
  std::vector<RunColumn> columns;
  QStringList others = ids;
  for (const RunColumn& column : standardColumns()) {
    others.removeAll(column.id);
    if (columns.empty() || ids.contains(column.id)) columns.push_back(column);
  }
  // A tag has a `/`, a key of the configuration has not.
  for (const QString& id : std::as_const(others))
    columns.push_back(id.contains(u'/') ? metricColumn(*facts_, id) : configColumn(*facts_, id));
  tree_->setColumns(std::move(columns));
  if (needsFacts()) Q_EMIT factsWanted();
}

bool RunViewMenu::needsFacts() const {
  const auto isStandard = [](const RunColumn& column) {
    return std::ranges::find(standardColumns(), column.id, &RunColumn::id) !=
           standardColumns().end();
  };
  const bool isByKey = grouping_.contains(u'.') && !isExpression(grouping_);
  return showsKeys_ || isByKey || !std::ranges::all_of(tree_->columns(), isStandard);
}

void RunViewMenu::addColumnAction(QMenu* menu, const QString& title, const QString& id) {
  QAction* action = menu->addAction(widgets::literalText(title));
  action->setCheckable(true);
  action->setChecked(columnIds().contains(id));
  connect(action, &QAction::toggled, this, [this, id](bool isShown) {
    QStringList ids = columnIds();
    if (isShown) {
      ids.append(id);
    } else {
      ids.removeAll(id);
    }
    setColumns(ids);
  });
}

QList<std::pair<QString, QList<QAction*>>> RunViewMenu::entries() {
  fill();
  QList<std::pair<QString, QList<QAction*>>> all;
  for (const QAction* each : actions()) {
    if (!each->menu()) continue;
    QList<QAction*> own = each->menu()->actions();
    own.removeIf([](const QAction* entry) { return entry->isSeparator() || entry->menu(); });
    all.append({each->text(), own});
  }
  return all;
}

void RunViewMenu::fillColumns(QMenu* menu) {
  for (const RunColumn& column : standardColumns())
    if (column.id != standardColumns().front().id) addColumnAction(menu, column.title, column.id);
  menu->addSeparator();
  const auto add = [this](QMenu* keys, const QString& key) { addColumnAction(keys, key, key); };
  addKeys(menu, tr("Differing keys"), &RunViewMenu::configKeys, add);
  addKeys(menu, tr("Last values"), &RunViewMenu::metricTags, add);
}

void RunViewMenu::addKeys(QMenu* menu, const QString& title,
                          QStringList (RunViewMenu::*keys)() const,
                          const std::function<void(QMenu*, const QString& key)>& add) {
  QMenu* own = menu->addMenu(title);
  const auto fill = [this, own, keys, add] {
    own->clear();
    const QStringList known = (this->*keys)();
    for (const QString& key : known) add(own, key);
    if (facts_->isReading()) own->addAction(tr("Reading the runs…"))->setEnabled(false);
    if (own->isEmpty()) own->addAction(tr("None"))->setEnabled(false);
  };
  connect(own, &QMenu::aboutToShow, this, [this, fill] {
    showsKeys_ = true;
    Q_EMIT factsWanted();
    fill();
  });
  connect(facts_, &RunFacts::finished, own, fill);
}

QStringList RunViewMenu::configKeys() const { return facts_->differingKeys(tree_->shownRuns()); }

QStringList RunViewMenu::metricTags() const {
  QStringList tags = facts_->keys();
  tags.removeIf([](const QString& key) { return !key.contains(u'/'); });
  return tags;
}

void RunViewMenu::fillOrder(QMenu* menu) {
  auto* group = new QActionGroup(menu);
  const auto add = [&](const QString& text, const QString& id) {
    QAction* action = menu->addAction(widgets::literalText(text));
    action->setCheckable(true);
    action->setActionGroup(group);
    action->setChecked(id == tree_->sortId());
    connect(action, &QAction::triggered, this, [this, id] { tree_->sortBy(id); });
  };
  add(tr("Newest first, pinned on top"), {});
  for (const RunColumn& column : standardColumns()) add(column.title, column.id);
  for (const RunColumn& column : tree_->columns())
    if (column.id == column.title) add(column.title, column.id);  // a key or a tag
  menu->addSeparator();
  QAction* descending = menu->addAction(tr("Descending"));
  descending->setCheckable(true);
  descending->setEnabled(!tree_->sortId().isEmpty());
  descending->setChecked(tree_->sortOrder() == Qt::DescendingOrder);
  connect(descending, &QAction::toggled, this, [this](bool isDescending) {
    tree_->sortBy(tree_->sortId(), isDescending ? Qt::DescendingOrder : Qt::AscendingOrder);
  });
}

void RunViewMenu::addGroupAction(QMenu* menu, const QString& title, const QString& by) {
  QAction* action = menu->addAction(widgets::literalText(title));
  action->setCheckable(true);
  action->setChecked(by == grouping_);
  connect(action, &QAction::triggered, this, [this, by] { chooseGrouping(by); });
}

void RunViewMenu::fillGroups(QMenu* menu) {
  addGroupAction(menu, tr("None"), {});
  addGroupAction(menu, tr("Folder"), QStringLiteral("folder"));
  addGroupAction(menu, tr("State"), QStringLiteral("state"));
  addGroupAction(menu, tr("First tag"), QStringLiteral("tag"));
  addGroupAction(menu, tr("Program"), QStringLiteral("program"));
  menu->addSeparator();
  addKeys(menu, tr("Differing keys"), &RunViewMenu::configKeys,
          [this](QMenu* keys, const QString& key) { addGroupAction(keys, key, key); });
  if (isExpression(grouping_)) addGroupAction(menu, tr("Name: %1").arg(grouping_), grouping_);
  menu->addAction(tr("Part of the name…"), this, &RunViewMenu::askForExpression);
}

void RunViewMenu::groupBy(const QString& by) {
  RunTree::Grouping grouping = groupingOf(by, *facts_);
  grouping_ = grouping ? by : QString();
  if (needsFacts()) Q_EMIT factsWanted();
  tree_->setGrouping(std::move(grouping));
}

void RunViewMenu::chooseGrouping(const QString& by) {
  groupBy(by);
  Q_EMIT groupingChosen(grouping_);
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
    const QRegularExpression expression = boundedExpression(text);
    if (expression.isValid()) return chooseGrouping(u'/' + text + u'/');
    why = tr("\nNot valid: %1, at character %2.")
              .arg(expression.errorString())
              .arg(errorOffset(expression) + 1);
  }
}

QVariantMap RunViewMenu::state() const {
  return {{QStringLiteral("columns"), columnIds()},
          {QStringLiteral("sort"), tree_->sortId()},
          {QStringLiteral("descending"), tree_->sortOrder() == Qt::DescendingOrder},
          {QStringLiteral("archived"), showsArchived_}};
}

void RunViewMenu::restore(const QVariantMap& state) {
  setColumns(state.value(QStringLiteral("columns")).toStringList());
  const bool isDescending = state.value(QStringLiteral("descending")).toBool();
  tree_->sortBy(state.value(QStringLiteral("sort")).toString(),
                isDescending ? Qt::DescendingOrder : Qt::AscendingOrder);
  showsArchived_ = state.value(QStringLiteral("archived")).toBool();
  Q_EMIT archivedToggled();
}

}  // namespace lockstep::app
