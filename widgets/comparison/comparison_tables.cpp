#include "widgets/comparison/comparison_tables.h"

#include <QComboBox>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLocale>
#include <QScrollBar>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/comparison/confusion_view.h"
#include "widgets/comparison/error_view.h"
#include "widgets/comparison/recall_view.h"
#include "widgets/comparison/roomy_delegate.h"
#include "widgets/comparison/table_text.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

enum Column { kName, kFirst, kSecond, kDelta, kColumns };

constexpr int kDecimals = 4, kIndentPx = 12;
/// Widths of columns.
constexpr int kImageDigits = 18, kClassDigits = 12, kAreaDigits = 13, kFindDigits = 10;
/// In the box of finders: what showOthers() lists.
constexpr int kOthers = -1;

/// Of a section's item.
constexpr int kIdRole = Qt::UserRole + 1;

/// Sorts numbers as numbers; missing ones last.
class FigureItem : public QTreeWidgetItem {
 public:
  using QTreeWidgetItem::QTreeWidgetItem;
  bool operator<(const QTreeWidgetItem& other) const override {
    const int column = treeWidget()->sortColumn();
    const QVariant own = data(column, kFigureRole), theirs = other.data(column, kFigureRole);
    if (!own.isValid() || !theirs.isValid()) return QTreeWidgetItem::operator<(other);
    return own.toDouble() < theirs.toDouble();
  }
};

QString figureText(double value) {
  return std::isnan(value) ? QStringLiteral("–") : QLocale().toString(value, 'f', kDecimals);
}

/// "▲ +0.0123": better or worse is said by the arrow too.
QString deltaText(const ComparedFigure& figure) {
  const double delta = figure.second - figure.first;
  if (std::isnan(delta)) return QStringLiteral("–");
  if (delta == 0) return QStringLiteral("=");
  const bool isBetter = (delta > 0) != figure.isLowerBetter;
  return QStringLiteral("%1 %2%3").arg(isBetter ? QStringLiteral("▲") : QStringLiteral("▼"),
                                       delta > 0 ? QStringLiteral("+") : QString(),
                                       figureText(delta));
}

QTreeWidget* table(const QString& name, const QStringList& columns) {
  auto* tree = new QTreeWidget;
  tree->setRootIsDecorated(false);
  tree->setUniformRowHeights(true);
  tree->setItemDelegate(new RoomyDelegate(tree));
  tree->setHeaderLabels(columns);
  tree->setAccessibleName(name);
  tree->header()->setStretchLastSection(false);
  tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  tree->header()->setSectionResizeMode(kName, QHeaderView::Stretch);
  return tree;
}

void alignFigures(QTreeWidget* table) {
  for (int column = kFirst; column < kColumns; ++column)
    table->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
}

QTreeWidgetItem* figureItem(const ComparedFigure& figure) {
  auto* item = new FigureItem(QStringList{figure.name, figureText(figure.first),
                                          figureText(figure.second), deltaText(figure)});
  const double values[] = {figure.first, figure.second, figure.second - figure.first};
  for (int column = kFirst; column < kColumns; ++column) {
    const double value = values[column - kFirst];
    item->setData(column, kFigureRole, std::isnan(value) ? -HUGE_VAL : value);
    item->setFont(column, monoFont());
    item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
  item->setToolTip(kName, figure.name);
  return item;
}

QTreeWidgetItem* sectionItem(const FigureSection& section) {
  auto* item = new QTreeWidgetItem({section.title});
  item->setFont(kName, interfaceFont(kDesktopFontSize, QFont::DemiBold));
  item->setToolTip(kName, section.note.isEmpty() ? section.title : section.note);
  item->setFlags(Qt::ItemIsEnabled);
  item->setData(kName, kIdRole, section.id);
  for (const ComparedFigure& figure : section.figures) item->addChild(figureItem(figure));
  return item;
}

/// Of its first column, and of the section that it is in; empty: none.
QStringList pathOf(const QTreeWidgetItem* item) {
  if (item == nullptr) return {};
  const QTreeWidgetItem* section = item->parent();
  return {section ? section->data(kName, kIdRole).toString() : QString(), item->text(kName)};
}

/// The same that was chosen before the table was filled again, if it is still there.
void choose(QTreeWidget* table, const QStringList& path) {
  if (path.isEmpty()) return;
  for (QTreeWidgetItem* item :
       table->findItems(path.last(), Qt::MatchExactly | Qt::MatchRecursive, kName))
    if (pathOf(item) == path) table->setCurrentItem(item);
}

}  // namespace

ComparisonTables::ComparisonTables(QWidget* parent) : QTabWidget(parent) {
  buildUi();
  connectSignals();
  showCounts();
}

void ComparisonTables::buildUi() {
  setDocumentMode(true);
  setUsesScrollButtons(true);
  setRole(tabBar(), "small");
  // Else there is no room for the arrows in the buttons that scroll the tabs.
  for (QToolButton* scroll : tabBar()->findChildren<QToolButton*>()) setRole(scroll, "icon");
  figures_ = table(tr("Figures of A and B"), {tr("Figure"), tr("A"), tr("B"), tr("B − A")});
  figures_->setIndentation(scaledPx(kIndentPx));
  figures_->setRootIsDecorated(true);
  classes_ = table(tr("AP of the classes in A and B"),
                   {tr("Class"), tr("AP of A"), tr("AP of B"), tr("ΔAP (B − A)")});
  for (QTreeWidget* each : {figures_, classes_}) alignFigures(each);
  classes_->setSortingEnabled(true);
  classes_->sortByColumn(kDelta, Qt::AscendingOrder);
  settings_ = table(tr("Settings that differ"), {tr("Key"), tr("A"), tr("B")});
  settings_->header()->setSectionResizeMode(QHeaderView::Stretch);
  addTab(figures_, tr("Figures"));
  addTab(classes_, tr("Classes"));
  confusions_ = new ConfusionView;
  errors_ = new ErrorView;
  recall_ = new RecallView;
  addTab(buildObjects(), tr("Objects"));
  addTab(confusions_, tr("Confusion"));
  addTab(errors_, tr("Errors"));
  addTab(recall_, tr("PR curve"));
  addTab(settings_, tr("Settings"));
}

QWidget* ComparisonTables::buildObjects() {
  objects_ = new PairedObjectModel(this);
  finders_ = new QComboBox;
  finders_->setAccessibleName(tr("Which objects are listed"));
  list_ = new QTreeView;
  list_->setModel(objects_);
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setItemDelegate(new RoomyDelegate(list_));
  list_->setTextElideMode(Qt::ElideMiddle);  // names of images differ at their ends
  list_->setAccessibleName(tr("Objects that A and B find or miss"));
  list_->header()->setStretchLastSection(false);
  // Not by their contents: there may be a million.
  const int digit = QFontMetrics(monoFont(11)).horizontalAdvance(u'0');
  list_->header()->resizeSection(PairedObjectModel::Image, kImageDigits * digit);
  list_->header()->resizeSection(PairedObjectModel::Class, kClassDigits * digit);
  list_->header()->resizeSection(PairedObjectModel::Area, kAreaDigits * digit);
  for (int column = PairedObjectModel::FirstScore; column <= PairedObjectModel::SecondIou; ++column)
    list_->header()->resizeSection(column, kFindDigits * digit);
  list_->header()->setSortIndicatorClearable(true);
  list_->header()->setSortIndicator(-1, Qt::AscendingOrder);
  list_->setSortingEnabled(true);
  auto* page = new QWidget;
  page->setFocusProxy(list_);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 6, 0, 0);
  column->addWidget(finders_);
  column->addWidget(list_, 1);
  return page;
}

void ComparisonTables::connectSignals() {
  connect(finders_, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (index < 0 || finders_->currentData().toInt() == kOthers) return;
    objects_->setFinders(static_cast<Finders>(finders_->currentData().toInt()));
    dropOthers();
    chooseFirstObject();
  });
  connect(list_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (row.isValid()) Q_EMIT objectChosen(objects_->objectAt(row.row()));
          });
}

/// News of a live run leave the sections folded, the chosen row and the place scrolled to.
void ComparisonTables::setFigures(const std::vector<FigureSection>& sections) {
  QStringList folded;
  for (int row = 0; row < figures_->topLevelItemCount(); ++row)
    if (const auto* item = figures_->topLevelItem(row); !item->isExpanded())
      folded << item->data(kName, kIdRole).toString();
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

void ComparisonTables::setClasses(const std::vector<ComparedFigure>& classes) {
  const QStringList chosen = pathOf(classes_->currentItem());
  classes_->setSortingEnabled(false);
  classes_->clear();
  for (const ComparedFigure& figure : classes) classes_->addTopLevelItem(figureItem(figure));
  classes_->setSortingEnabled(true);
  choose(classes_, chosen);
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
    note->setToolTip(kName, whyNone);
  }
  for (const config::ConfigDifference& one : settings) {
    auto* item = new QTreeWidgetItem(
        settings_, {QString::fromStdString(one.key), QString::fromStdString(one.left),
                    QString::fromStdString(one.right)});
    for (int column = kName; column <= kSecond; ++column) {
      item->setFont(column, monoFont(11));
      item->setToolTip(column, item->text(column));
    }
  }
  setTabText(indexOf(settings_), tr("Settings (%1)").arg(settings.size()));
}

void ComparisonTables::setObjects(std::shared_ptr<const coco::Dataset> dataset,
                                  PairedObjectModel::Objects objects) {
  const bool areListed = !isListingOthers();
  objects_->setObjects(std::move(dataset), std::move(objects));
  showCounts();
  if (!areListed) return;
  showObjectsThatThereAre();
  chooseFirstObject();
}

bool ComparisonTables::isListingOthers() const {
  return finders_->currentData().toInt() == kOthers;
}

void ComparisonTables::dropOthers() {
  const int others = finders_->findData(kOthers);
  if (others < 0) return;
  objects_->setOthers(nullptr, nullptr);
  finders_->removeItem(others);
}

void ComparisonTables::showObjectsThatThereAre() {
  const auto& counts = objects_->counts();
  const auto first = std::ranges::find_if(counts, [](int count) { return count > 0; });
  if (objects_->rowCount() > 0 || first == counts.end()) return;
  finders_->setCurrentIndex(finders_->findData(static_cast<int>(first - counts.begin())));
}

void ComparisonTables::showOthers(const QString& title,
                                  std::shared_ptr<const coco::Dataset> dataset,
                                  PairedObjectModel::Objects others) {
  const int known = finders_->findData(kOthers);
  const QString text = tr("%1: %2").arg(title, QLocale().toString(others->size()));
  if (known < 0) {
    finders_->addItem(text, kOthers);
  } else {
    finders_->setItemText(known, text);
  }
  finders_->setCurrentIndex(finders_->findData(kOthers));
  finders_->setToolTip(text);
  objects_->setOthers(std::move(dataset), std::move(others));
  setCurrentWidget(list_->parentWidget());
  chooseFirstObject();
}

void ComparisonTables::chooseFirstObject() {
  if (objects_->rowCount() > 0) list_->setCurrentIndex(objects_->index(0, 0));
}

void ComparisonTables::showCounts() {
  const struct {
    Finders finders;
    QString text;
  } kinds[] = {{Finders::OnlyFirst, tr("A finds, B misses: %1")},
               {Finders::OnlySecond, tr("B finds, A misses: %1")},
               {Finders::Neither, tr("Both miss: %1")},
               {Finders::Both, tr("Both find: %1")}};
  if (finders_->count() == 0)
    for (const auto& kind : kinds) finders_->addItem({}, static_cast<int>(kind.finders));
  for (int i = 0; i < static_cast<int>(std::size(kinds)); ++i) {
    const int count = objects_->counts().at(static_cast<std::size_t>(kinds[i].finders));
    finders_->setItemText(i, kinds[i].text.arg(QLocale().toString(count)));
  }
}

void ComparisonTables::showFinders(Finders finders) {
  finders_->setCurrentIndex(finders_->findData(static_cast<int>(finders)));
}

void ComparisonTables::moveObject(int rows) {
  const int count = objects_->rowCount();
  if (count == 0) return;
  setCurrentWidget(list_->parentWidget());
  const int current = list_->currentIndex().isValid() ? list_->currentIndex().row() : -1;
  const int row = std::clamp(current < 0 ? 0 : current + rows, 0, count - 1);
  list_->setCurrentIndex(objects_->index(row, 0));
}

}  // namespace lockstep::widgets
