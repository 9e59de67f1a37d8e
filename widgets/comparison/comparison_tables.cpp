#include "widgets/comparison/comparison_tables.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QTabBar>
#include <QToolButton>
#include <QTreeWidget>

#include "widgets/comparison/classes_view.h"
#include "widgets/comparison/confusion_view.h"
#include "widgets/comparison/error_view.h"
#include "widgets/comparison/figure_items.h"
#include "widgets/comparison/objects_view.h"
#include "widgets/comparison/recall_view.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

enum FigureColumn { kFigureName, kFigureFirst, kFigureSecond, kFigureDelta, kFigureColumns };

constexpr int kIndentPx = 12;
/// Of a section's item.
constexpr int kIdRole = Qt::UserRole + 1;
const QString kClasses = QStringLiteral("classes"), kObjects = QStringLiteral("objects");

QTreeWidgetItem* sectionItem(const FigureSection& section) {
  auto* item = new QTreeWidgetItem({section.title});
  item->setFont(kFigureName, interfaceFont(kDesktopFontSize, QFont::DemiBold));
  item->setToolTip(kFigureName, section.note.isEmpty() ? section.title : section.note);
  item->setFlags(Qt::ItemIsEnabled);
  item->setData(kFigureName, kIdRole, section.id);
  for (const ComparedFigure& figure : section.figures) {
    auto* row = new FigureItem;
    row->setFigure(kFigureFirst, figure);
    item->addChild(row);
  }
  return item;
}

/// Of its first column, and of the section that it is in; empty: none.
QStringList pathOf(const QTreeWidgetItem* item) {
  if (item == nullptr) return {};
  const QTreeWidgetItem* section = item->parent();
  return {section ? section->data(kFigureName, kIdRole).toString() : QString(),
          item->text(kFigureName)};
}

/// The same that was chosen before the table was filled again, if it is still there.
void choose(QTreeWidget* table, const QStringList& path) {
  if (path.isEmpty()) return;
  for (QTreeWidgetItem* item :
       table->findItems(path.last(), Qt::MatchExactly | Qt::MatchRecursive, kFigureName))
    if (pathOf(item) == path) table->setCurrentItem(item);
}

}  // namespace

ComparisonTables::ComparisonTables(QWidget* parent) : QTabWidget(parent) {
  buildUi();
  connectSignals();
}

void ComparisonTables::buildUi() {
  setDocumentMode(true);
  setUsesScrollButtons(true);
  setRole(tabBar(), "small");
  // Else there is no room for the arrows in the buttons that scroll the tabs.
  for (QToolButton* scroll : tabBar()->findChildren<QToolButton*>()) setRole(scroll, "icon");
  figures_ =
      newComparisonTable(tr("Figures of A and B"), {tr("Figure"), tr("A"), tr("B"), tr("B − A")});
  figures_->setIndentation(scaledPx(kIndentPx));
  figures_->setRootIsDecorated(true);
  for (int column = kFigureFirst; column < kFigureColumns; ++column)
    figures_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  classes_ = new ClassesView;
  objects_ = new ObjectsView;
  settings_ = newComparisonTable(tr("Settings that differ"), {tr("Key"), tr("A"), tr("B")});
  settings_->header()->setSectionResizeMode(QHeaderView::Stretch);
  addTab(figures_, tr("Figures"));
  addTab(classes_, tr("Classes"));
  confusions_ = new ConfusionView;
  errors_ = new ErrorView;
  recall_ = new RecallView;
  addTab(objects_, tr("Objects"));
  addTab(confusions_, tr("Confusion"));
  addTab(errors_, tr("Errors"));
  addTab(recall_, tr("PR curve"));
  addTab(settings_, tr("Settings"));
}

void ComparisonTables::connectSignals() {
  connect(classes_, &ClassesView::classChosen, this, [this](CategoryId category) {
    objects_->showDifferencesOf(category);
    setCurrentWidget(objects_);
  });
  connect(classes_, &ClassesView::viewStateChanged, this, &ComparisonTables::viewStateChanged);
  connect(objects_, &ObjectsView::viewStateChanged, this, &ComparisonTables::viewStateChanged);
}

/// News of a live run leave the sections folded, the chosen row and the place scrolled to.
void ComparisonTables::setFigures(const std::vector<FigureSection>& sections) {
  QStringList folded;
  for (int row = 0; row < figures_->topLevelItemCount(); ++row)
    if (const auto* item = figures_->topLevelItem(row); !item->isExpanded())
      folded << item->data(kFigureName, kIdRole).toString();
  const QStringList chosen = pathOf(figures_->currentItem());
  const int place = figures_->verticalScrollBar()->value();
  figures_->clear();
  for (const FigureSection& section : sections) {
    if (section.figures.empty()) continue;
    QTreeWidgetItem* item = sectionItem(section);
    figures_->addTopLevelItem(item);
    item->setFirstColumnSpanned(true);
    item->setExpanded(!folded.contains(section.id));
  }
  choose(figures_, chosen);
  figures_->verticalScrollBar()->setValue(place);
}

QAbstractItemView* ComparisonTables::tableOf(QWidget* page) {
  return qobject_cast<QAbstractItemView*>(page->focusProxy() ? page->focusProxy() : page);
}

QAbstractItemView* ComparisonTables::shownTable() const { return tableOf(currentWidget()); }

std::vector<QAbstractItemView*> ComparisonTables::tables() const {
  std::vector<QAbstractItemView*> all;
  for (int tab = 0; tab < count(); ++tab)
    if (QAbstractItemView* table = tableOf(widget(tab))) all.push_back(table);
  return all;
}

void ComparisonTables::setSettings(const std::vector<config::ConfigDifference>& settings,
                                   const QString& whyNone) {
  settings_->clear();
  if (settings.empty() && !whyNone.isEmpty()) {
    auto* note = new QTreeWidgetItem(settings_, {whyNone});
    note->setFirstColumnSpanned(true);
    note->setToolTip(kFigureName, whyNone);
  }
  for (const config::ConfigDifference& one : settings) {
    auto* item = new QTreeWidgetItem(
        settings_, {QString::fromStdString(one.key), QString::fromStdString(one.left),
                    QString::fromStdString(one.right)});
    for (int column = kFigureName; column <= kFigureSecond; ++column) {
      item->setFont(column, monoFont(11));
      item->setToolTip(column, item->text(column));
    }
  }
  setTabText(indexOf(settings_), tr("Settings (%1)").arg(settings.size()));
}

const PairedObjectModel* ComparisonTables::objects() const { return objects_->model(); }

void ComparisonTables::showOthers(const QString& title,
                                  std::shared_ptr<const coco::Dataset> dataset,
                                  PairedObjectModel::Objects others) {
  setCurrentWidget(objects_);
  objects_->showOthers(title, std::move(dataset), std::move(others));
}

void ComparisonTables::moveObject(int rows) {
  if (objects()->rowCount() > 0) setCurrentWidget(objects_);
  objects_->moveObject(rows);
}

void ComparisonTables::searchClasses() {
  setCurrentWidget(classes_);
  classes_->focusSearch();
}

QVariantMap ComparisonTables::viewState() const {
  return {{kClasses, classes_->viewState()}, {kObjects, objects_->viewState()}};
}

void ComparisonTables::restoreViewState(const QVariantMap& state) {
  classes_->restoreViewState(state.value(kClasses).toMap());
  objects_->restoreViewState(state.value(kObjects).toMap());
}

}  // namespace lockstep::widgets
