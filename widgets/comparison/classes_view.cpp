#include "widgets/comparison/classes_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QScrollBar>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <limits>

#include "widgets/class_search.h"
#include "widgets/comparison/figure_items.h"
#include "widgets/comparison/table_text.h"
#include "widgets/role.h"
#include "widgets/sort_state.h"

namespace lockstep::widgets {
namespace {

enum ClassColumn {
  kClassName,
  kClassObjects,
  kClassFirst,
  kClassSecond,
  kClassDelta,
  kClassColumns
};

constexpr int kMostLeast = 1'000'000;
/// Of a class' row: its id.
constexpr int kCategoryRole = Qt::UserRole + 1;
const QString kClassSort = QStringLiteral("sort"), kLeast = QStringLiteral("least");

FigureItem* itemOf(const ComparedClass& of) {
  auto* item = new FigureItem;
  item->setFigure(kClassFirst, of.ap);
  if (of.objects)
    item->setNumber(kClassObjects, QLocale().toString(*of.objects),
                    static_cast<double>(*of.objects));
  else
    item->setNumber(kClassObjects, QStringLiteral("–"), std::numeric_limits<double>::quiet_NaN());
  item->setData(kClassName, kCategoryRole, QVariant::fromValue<qint64>(of.category.value));
  return item;
}

}  // namespace

ClassesView::ClassesView(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
}

void ClassesView::buildUi() {
  search_ = new ClassSearch;
  least_ = new QSpinBox;
  least_->setRange(1, kMostLeast);
  least_->setPrefix(tr("objects ≥ "));
  least_->setAccessibleName(tr("Minimum number of objects of a listed class"));
  least_->setToolTip(tr("Hides classes with few objects, whose AP is unreliable"));
  note_ = new QLabel;
  note_->setWordWrap(true);
  setRole(note_, "muted");
  table_ =
      newComparisonTable(tr("AP of the classes in A and B"),
                         {tr("Class"), tr("Objects"), tr("AP of A"), tr("AP of B"), tr("B − A")});
  for (int column = kClassObjects; column < kClassColumns; ++column)
    table_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  table_->headerItem()->setToolTip(kClassObjects, tr("On the common images, without crowds"));
  table_->headerItem()->setToolTip(kClassDelta, tr("AP of B minus AP of A"));
  table_->setSortingEnabled(true);
  table_->sortByColumn(kClassDelta, Qt::AscendingOrder);
  setFocusProxy(table_);
  auto* head = new QHBoxLayout;
  head->addWidget(search_, 1);
  head->addWidget(least_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 6, 0, 0);
  column->addLayout(head);
  column->addWidget(note_);
  column->addWidget(table_, 1);
  setClasses({});
}

void ClassesView::connectSignals() {
  const auto choose = [this](const QTreeWidgetItem* item) {
    Q_EMIT classChosen(CategoryId{item->data(kClassName, kCategoryRole).toLongLong()});
  };
  connect(table_, &QTreeWidget::itemClicked, this, choose);
  connect(table_, &QTreeWidget::itemActivated, this, choose);
  connect(search_, &ClassSearch::textChanged, this, &ClassesView::filterRows);
  connect(least_, &QSpinBox::valueChanged, this, [this] {
    filterRows();
    Q_EMIT viewStateChanged();
  });
  connect(table_->header(), &QHeaderView::sortIndicatorChanged, this,
          &ClassesView::viewStateChanged);
}

void ClassesView::setClasses(const std::vector<ComparedClass>& classes) {
  const QTreeWidgetItem* current = table_->currentItem();
  const QVariant chosen = current ? current->data(kClassName, kCategoryRole) : QVariant();
  const int place = table_->verticalScrollBar()->value();
  table_->setSortingEnabled(false);
  table_->clear();
  QTreeWidgetItem* again = nullptr;
  for (const ComparedClass& one : classes) {
    FigureItem* item = itemOf(one);
    table_->addTopLevelItem(item);
    if (chosen.isValid() && item->data(kClassName, kCategoryRole) == chosen) again = item;
  }
  table_->setSortingEnabled(true);
  if (again) table_->setCurrentItem(again);
  table_->verticalScrollBar()->setValue(place);
  search_->showFor(classes.size());
  least_->setVisible(classes.size() > 1);
  filterRows();
}

void ClassesView::filterRows() {
  int shown = 0;
  for (int row = 0; row < table_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = table_->topLevelItem(row);
    const double objects = item->data(kClassObjects, kFigureRole).toDouble();
    const bool areFew = objects >= 0 && objects < least_->value();
    item->setHidden(areFew || (!search_->isHidden() && !search_->finds(item->text(kClassName))));
    shown += item->isHidden() ? 0 : 1;
  }
  showNote(shown);
}

void ClassesView::showNote(int shown) {
  const int all = table_->topLevelItemCount();
  QString text = tr("a class lists its objects that only A or only B finds");
  if (shown < all) text += tr("; %L1 of %Ln class(es) shown", "", all).arg(shown);
  note_->setText(text);
  note_->setVisible(all > 0);
}

void ClassesView::focusSearch() {
  QWidget* first = search_->isHidden() ? static_cast<QWidget*>(table_) : search_;
  first->setFocus(Qt::ShortcutFocusReason);
}

QVariantMap ClassesView::viewState() const {
  return {{kClassSort, sortState(*table_->header())}, {kLeast, least_->value()}};
}

void ClassesView::restoreViewState(const QVariantMap& state) {
  if (state.isEmpty()) return;
  restoreSort(*table_->header(), state.value(kClassSort).toMap());
  least_->setValue(state.value(kLeast).toInt());
}

}  // namespace lockstep::widgets
