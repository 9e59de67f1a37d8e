#include "widgets/comparison/objects_view.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "widgets/comparison/object_filter_bar.h"
#include "widgets/comparison/roomy_delegate.h"
#include "widgets/role.h"
#include "widgets/sort_state.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

using Model = PairedObjectModel;

/// In the box of finders: what showOthers() lists.
constexpr int kOthers = -1;
constexpr int kFinderLetters = 12;
/// Least widths of columns, in digits.
constexpr int kImageDigits = 14, kClassDigits = 9, kAreaDigits = 10, kFindDigits = 6;
const QString kFinders = QStringLiteral("finders"), kFilter = QStringLiteral("filter"),
              kObjectSort = QStringLiteral("sort");

constexpr FinderSet kOnlyOne{Finders::OnlyFirst, Finders::OnlySecond};
/// As they are offered.
constexpr std::array kFinderSets{kOnlyOne, FinderSet::one(Finders::OnlyFirst),
                                 FinderSet::one(Finders::OnlySecond),
                                 FinderSet::one(Finders::Neither), FinderSet::one(Finders::Both)};

}  // namespace

ObjectsView::ObjectsView(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
  listFinders();
}

void ObjectsView::buildUi() {
  finders_ = new QComboBox;
  finders_->setAccessibleName(tr("Which objects are listed"));
  finders_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  finders_->setMinimumContentsLength(kFinderLetters);
  for (const FinderSet& set : kFinderSets) finders_->addItem({}, set.value());
  opening_ = new QToolButton;
  opening_->setText(tr("Predictions"));
  filters_ = new ObjectFilterBar;
  buildList();
  setFocusProxy(list_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 6, 0, 0);
  auto* head = new QHBoxLayout;
  head->addWidget(finders_, 1);
  head->addWidget(opening_);
  column->addLayout(head);
  column->addWidget(filters_);
  column->addWidget(buildLeftOut());
  column->addWidget(list_, 1);
}

void ObjectsView::buildList() {
  objects_ = new PairedObjectModel(this);
  list_ = new QTreeView;
  list_->setModel(objects_);
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setItemDelegate(new RoomyDelegate(list_));
  list_->setAccessibleName(tr("Objects that A and B find or miss"));
  list_->header()->setStretchLastSection(false);
  list_->header()->setSortIndicatorClearable(true);
  list_->header()->setSortIndicator(-1, Qt::AscendingOrder);
  list_->setSortingEnabled(true);
  list_->viewport()->installEventFilter(this);
}

QWidget* ObjectsView::buildLeftOut() {
  leftOut_ = new QWidget;
  leftOutText_ = new QLabel;
  leftOutText_->setWordWrap(true);
  setRole(leftOutText_, "muted");
  auto* all = new QPushButton(tr("Show all"));
  all->setToolTip(tr("Lists the objects of any class, size and score"));
  setRole(all, "link");
  connect(all, &QPushButton::clicked, this, [this] { filters_->setFilter({}); });
  auto* row = new QHBoxLayout(leftOut_);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(leftOutText_, 1);
  row->addWidget(all);
  return leftOut_;
}

void ObjectsView::connectSignals() {
  connect(finders_, &QComboBox::currentIndexChanged, this, &ObjectsView::takeFinders);
  connect(filters_, &ObjectFilterBar::changed, this, &ObjectsView::applyFilter);
  connect(opening_, &QToolButton::clicked, this, &ObjectsView::objectActivated);
  connect(list_, &QTreeView::activated, this, &ObjectsView::objectActivated);
  connect(list_->header(), &QHeaderView::sortIndicatorChanged, this,
          &ObjectsView::viewStateChanged);
  connect(list_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (row.isValid()) Q_EMIT objectChosen(objects_->objectAt(row.row()));
          });
}

/// A person has chosen which are listed.
void ObjectsView::takeFinders(int index) {
  if (index < 0 || isListingOthers()) return;
  const int value = finders_->currentData().toInt();
  wanted_ = *std::ranges::find(kFinderSets, value, &FinderSet::value);
  objects_->setFinders(wanted_);
  takeOthersAway();
  showCounts();
  chooseFirstObject();
  Q_EMIT viewStateChanged();
}

/// Those that are wanted, or where there are none, and nothing is filtered, others that there are.
void ObjectsView::listFinders() {
  FinderSet listed = wanted_;
  if (objects_->countOf(wanted_) == 0 && filters_->filter().leavesAll()) {
    const auto isThere = [this](const FinderSet& set) { return objects_->countOf(set) > 0; };
    const auto other = std::ranges::find_if(kFinderSets, isThere);
    if (other != kFinderSets.end()) listed = *other;
  }
  const QSignalBlocker blocker(finders_);
  finders_->setCurrentIndex(finders_->findData(listed.value()));
  objects_->setFinders(listed);
  showCounts();
}

void ObjectsView::applyFilter() {
  objects_->setFilter(filters_->filter());
  if (isListingOthers())
    showCounts();
  else
    listFinders();
  chooseFirstObject();
  Q_EMIT viewStateChanged();
}

void ObjectsView::setObjects(std::shared_ptr<const coco::Dataset> dataset,
                             PairedObjectModel::Objects objects) {
  if (dataset) {
    filters_->setClasses(dataset->categories());
    showClassColumns(dataset->categories().size());
  }
  objects_->setObjects(std::move(dataset), std::move(objects), filters_->filter());
  if (isListingOthers()) return showCounts();
  listFinders();
  chooseFirstObject();
}

void ObjectsView::showClassColumns(std::size_t classes) {
  for (int column = 0; column < Model::ColumnCount; ++column)
    if (Model::isClass(column)) list_->setColumnHidden(column, classes < 2);
  fitColumns();
}

/// Not by their contents: there may be a million. Names of images and classes take what is left.
void ObjectsView::fitColumns() {
  const int digit = QFontMetrics(monoFont(11)).horizontalAdvance(u'0');
  std::array<int, Model::ColumnCount> widths{}, shares{};
  int left = list_->viewport()->width(), allShares = 0;
  for (int column = 0; column < Model::ColumnCount; ++column) {
    if (list_->isColumnHidden(column)) continue;
    const auto place = static_cast<std::size_t>(column);
    const int digits = column == Model::Image   ? kImageDigits
                       : Model::isClass(column) ? kClassDigits
                       : column == Model::Area  ? kAreaDigits
                                                : kFindDigits;
    widths[place] = std::max(digits * digit, list_->header()->sectionSizeHint(column));
    shares[place] = column == Model::Image ? 2 : Model::isClass(column) ? 1 : 0;
    left -= widths[place];
    allShares += shares[place];
  }
  for (int column = 0; column < Model::ColumnCount; ++column) {
    const auto place = static_cast<std::size_t>(column);
    list_->header()->resizeSection(column,
                                   widths[place] + std::max(0, left) * shares[place] / allShares);
  }
}

/// Of the list without its scroll bar.
bool ObjectsView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) fitColumns();
  return QWidget::eventFilter(watched, event);
}

bool ObjectsView::isListingOthers() const { return finders_->currentData().toInt() == kOthers; }

void ObjectsView::showOthers(const QString& title, std::shared_ptr<const coco::Dataset> dataset,
                             PairedObjectModel::Objects others) {
  if (!isListingOthers()) keptFilter_ = filters_->viewState();
  const QString text = tr("%1: %2").arg(title, QLocale().toString(others->size()));
  {
    const QSignalBlocker noFinders(finders_), noFilter(filters_);
    if (finders_->findData(kOthers) < 0) finders_->addItem({}, kOthers);
    finders_->setItemText(finders_->findData(kOthers), text);
    finders_->setCurrentIndex(finders_->findData(kOthers));
    filters_->setFilter({});
  }
  finders_->setToolTip(text);
  objects_->setFilter({});
  objects_->setOthers(std::move(dataset), std::move(others));
  showCounts();
  chooseFirstObject();
}

void ObjectsView::dropOthers() {
  if (takeOthersAway()) listFinders();
}

/// Whether there were others; the filter of the objects is back.
bool ObjectsView::takeOthersAway() {
  const int others = finders_->findData(kOthers);
  if (others < 0) return false;
  objects_->setOthers(nullptr, nullptr);
  {
    const QSignalBlocker noFinders(finders_), noFilter(filters_);
    finders_->removeItem(others);
    finders_->setToolTip({});
    filters_->restoreViewState(keptFilter_);
  }
  objects_->setFilter(filters_->filter());
  return true;
}

void ObjectsView::showAll() {
  dropOthers();
  filters_->setFilter({});
}

void ObjectsView::showCounts() {
  const std::array texts{tr("Only one of A and B finds: %1"), tr("A finds, B misses: %1"),
                         tr("B finds, A misses: %1"), tr("Both miss: %1"), tr("Both find: %1")};
  for (std::size_t i = 0; i < texts.size(); ++i)
    finders_->setItemText(
        static_cast<int>(i),
        texts.at(i).arg(QLocale().toString(objects_->countOf(kFinderSets.at(i)))));
  const int all = objects_->countUnfiltered(), left = objects_->rowCount();
  leftOut_->setVisible(left < all);
  leftOutText_->setText(tr("%L1 of %Ln object(s) match the filters.", "", all).arg(left));
}

void ObjectsView::showFinders(FinderSet finders) {
  finders_->setCurrentIndex(finders_->findData(finders.value()));
}

void ObjectsView::showDifferencesOf(CategoryId category) {
  dropOthers();
  wanted_ = kOnlyOne;
  ObjectFilter filter;
  filter.category = category;
  filters_->setFilter(filter);
}

void ObjectsView::moveObject(int rows) {
  const int count = objects_->rowCount();
  if (count == 0) return;
  const int current = list_->currentIndex().isValid() ? list_->currentIndex().row() : -1;
  const int row = std::clamp(current < 0 ? 0 : current + rows, 0, count - 1);
  list_->setCurrentIndex(objects_->index(row, 0));
}

void ObjectsView::chooseFirstObject() {
  if (objects_->rowCount() > 0) list_->setCurrentIndex(objects_->index(0, 0));
}

QVariantMap ObjectsView::viewState() const {
  return {{kFinders, wanted_.value()},
          {kFilter, isListingOthers() ? keptFilter_ : filters_->viewState()},
          {kObjectSort, sortState(*list_->header())}};
}

void ObjectsView::restoreViewState(const QVariantMap& state) {
  if (state.isEmpty()) return;
  const auto wanted =
      std::ranges::find(kFinderSets, state.value(kFinders).toInt(), &FinderSet::value);
  if (wanted != kFinderSets.end()) wanted_ = *wanted;
  restoreSort(*list_->header(), state.value(kObjectSort).toMap());
  filters_->restoreViewState(state.value(kFilter).toMap());
}

}  // namespace lockstep::widgets
