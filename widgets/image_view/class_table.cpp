#include "widgets/image_view/class_table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QSortFilterProxyModel>
#include <algorithm>
#include <array>

#include "widgets/image_view/class_model.h"
#include "widgets/sort_state.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kClassRowPx = 24, kMostRows = 6, kMinNamePx = 60, kMostNamePx = 96,
              kNamePaddingPx = 12;

}  // namespace

ClassTable::ClassTable(QWidget* parent)
    : QTableView(parent), model_(new ClassModel(this)), sorted_(new QSortFilterProxyModel(this)) {
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(ClassModel::kSortRole);
  sorted_->setSortCaseSensitivity(Qt::CaseInsensitive);
  sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  setModel(sorted_);
  setAccessibleName(tr("Classes"));
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);
  setSortingEnabled(true);
  sortByColumn(-1, Qt::DescendingOrder);  // the dataset's order
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  horizontalHeader()->setFont(interfaceFont(11));
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setMinimumSectionSize(20);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setSectionResizeMode(ClassModel::Name, QHeaderView::Stretch);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(scaledPx(kClassRowPx));
  connect(this, &QTableView::clicked, this, &ClassTable::choose);
}

void ClassTable::setClasses(const std::vector<coco::Category>& classes) {
  chosen_.reset();
  model_->setClasses(classes);
  updateGeometry();
  fitColumns();
}

void ClassTable::setFilter(const QString& words) {
  sorted_->setFilterFixedString(words);
  showChosen(chosen_);
}

QVariantMap ClassTable::viewState() const { return sortState(*horizontalHeader()); }

void ClassTable::restoreViewState(const QVariantMap& state) {
  restoreSort(*horizontalHeader(), state);
}

void ClassTable::setApName(const QString& name) {
  model_->setApName(name);
  fitColumns();
}

void ClassTable::setFigures(const std::vector<ClassFigures>& figures) {
  model_->setFigures(figures);
  fitColumns();
}

void ClassTable::showChosen(std::optional<CategoryId> category) {
  chosen_ = category;
  clearSelection();
  if (!category) return setCurrentIndex({});
  const auto& classes = model_->classes();
  const auto found = std::ranges::find(classes, *category, &coco::Category::id);
  if (found == classes.end()) return;
  const int row = static_cast<int>(found - classes.begin());
  setCurrentIndex(sorted_->mapFromSource(model_->index(row, 0)));
}

void ClassTable::choose(const QModelIndex& row) {
  if (!row.isValid()) return;
  const auto place = static_cast<std::size_t>(sorted_->mapToSource(row).row());
  const CategoryId category = model_->classes()[place].id;
  const bool hasErrors = row.data(ClassModel::kSortRole).toInt() > 0;
  if (row.column() == ClassModel::FalsePositives && hasErrors)
    return Q_EMIT falsePositivesChosen(category);
  if (row.column() == ClassModel::Missed && hasErrors) return Q_EMIT missedChosen(category);
  Q_EMIT classChosen(chosen_ == category ? std::nullopt : std::optional(category));
}

void ClassTable::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    return choose(currentIndex());
  QTableView::keyPressEvent(event);
}

void ClassTable::resizeEvent(QResizeEvent* event) {
  fitColumns();
  QTableView::resizeEvent(event);
}

/// As wide as their texts; images and objects give way to the names.
void ClassTable::fitColumns() {
  std::array<int, ClassModel::kColumns> wanted{};
  int left = viewport()->width();
  for (int column = ClassModel::Images; column < ClassModel::kColumns; ++column) {
    const QString title = model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    const int titlePx = QFontMetrics(horizontalHeader()->font()).horizontalAdvance(title);
    wanted[static_cast<std::size_t>(column)] =
        std::max(sizeHintForColumn(column), titlePx + 2 * scaledPx(kNamePaddingPx));
    left -= wanted[static_cast<std::size_t>(column)];
  }
  const int name =
      std::clamp(sizeHintForColumn(ClassModel::Name), scaledPx(kMinNamePx), scaledPx(kMostNamePx));
  for (int column = ClassModel::Images; column < ClassModel::kColumns; ++column) {
    const int columnPx = wanted[static_cast<std::size_t>(column)];
    const bool mayHide = column == ClassModel::Images || column == ClassModel::Objects;
    const bool isHidden = mayHide && left < name;
    if (isHidden) left += columnPx;
    setColumnHidden(column, isHidden);
    if (!isHidden) setColumnWidth(column, columnPx);
  }
}

QSize ClassTable::sizeHint() const {
  const int rows = std::clamp(model_->rowCount(), 1, kMostRows);
  return {scaledPx(300), horizontalHeader()->sizeHint().height() + rows * scaledPx(kClassRowPx) +
                             2 * frameWidth() + 2};
}

}  // namespace lockstep::widgets
