#include "widgets/image_view/class_filter.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QScreen>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <QWidgetAction>
#include <algorithm>

#include "widgets/class_search.h"
#include "widgets/instances/class_name.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kIndexRole = Qt::UserRole;
enum Column { Name, TruePositives, FalsePositives, Missed, kColumns };
constexpr int kClassNamePx = 190;
constexpr int kCountWidthPx = 58;
constexpr int kMaxRows = 16;
constexpr int kMinRows = 4;
constexpr double kMaxOfScreen = 0.5;

}  // namespace

ClassFilter::ClassFilter(QWidget* parent) : QToolButton(parent) {
  setPopupMode(QToolButton::InstantPopup);
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  setAccessibleName(tr("Classes"));
  buildMenu();
  updateText();
}

void ClassFilter::buildMenu() {
  auto* panel = new QWidget;
  search_ = new ClassSearch;
  buildList();
  auto* all = new QPushButton(tr("All"));
  auto* none = new QPushButton(tr("None"));
  for (QPushButton* button : {all, none}) setRole(button, "quiet");
  all->setToolTip(tr("Select every listed class"));
  none->setToolTip(tr("Deselect every listed class"));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(all);
  buttons->addWidget(none);
  buttons->addStretch();
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(6, 6, 6, 6);
  column->addWidget(search_);
  column->addWidget(list_);
  column->addLayout(buttons);
  auto* action = new QWidgetAction(this);
  action->setDefaultWidget(panel);
  auto* menu = new QMenu(this);
  menu->addAction(action);
  setMenu(menu);
  connect(all, &QPushButton::clicked, this, [this] { setAll(Qt::Checked); });
  connect(none, &QPushButton::clicked, this, [this] { setAll(Qt::Unchecked); });
  connect(search_, &ClassSearch::textChanged, this, &ClassFilter::filterRows);
  connect(list_, &QTreeWidget::itemChanged, this, [this] { readCheckBoxes(); });
  connect(menu, &QMenu::aboutToShow, this, [this] {
    fitColumns();
    fitList();
    search_->setFocus();
  });
}

void ClassFilter::buildList() {
  list_ = new QTreeWidget;
  list_->setAccessibleName(tr("Classes"));
  list_->setColumnCount(kColumns);
  list_->setHeaderLabels({tr("class"), verdictName(Verdict::TruePositive),
                          verdictName(Verdict::FalsePositive), verdictName(Verdict::Missed)});
  list_->headerItem()->setToolTip(Name, tr("Click a column title to sort"));
  for (int column : {TruePositives, FalsePositives, Missed})
    list_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setTextElideMode(Qt::ElideMiddle);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setSelectionMode(QAbstractItemView::NoSelection);
  QHeaderView* header = list_->header();
  header->setStretchLastSection(false);
  header->setSectionResizeMode(QHeaderView::Fixed);
  header->setSectionResizeMode(Name, QHeaderView::Stretch);
}

/// Makes the columns as wide as their titles and counts.
void ClassFilter::fitColumns() {
  int width = scaledPx(kClassNamePx);
  for (int column : {TruePositives, FalsePositives, Missed}) {
    const int columnPx =
        std::max(scaledPx(kCountWidthPx), list_->header()->sectionSizeHint(column));
    list_->setColumnWidth(column, columnPx);
    width += columnPx;
  }
  list_->setMinimumWidth(width);
}

/// Shows all rows, up to kMaxRows or half of the screen; beyond that the list scrolls.
void ClassFilter::fitList() {
  const int row = std::max(1, list_->sizeHintForRow(0));
  const auto ofScreen = static_cast<int>(kMaxOfScreen * screen()->availableSize().height()) / row;
  const int max = std::clamp(ofScreen, kMinRows, kMaxRows);
  const int rows = std::clamp(list_->topLevelItemCount(), kMinRows, max);
  list_->setFixedHeight(list_->header()->sizeHint().height() + rows * row +
                        2 * list_->frameWidth());
}

void ClassFilter::setClasses(const std::vector<coco::Category>& classes) {
  if (&classes != &classes_) classes_ = classes;
  hidden_.clear();
  for (const coco::Category& category : classes)
    if (unchecked_.count(category.name)) hidden_.insert(category.id);
  isFilling_ = true;
  search_->clear();
  list_->setSortingEnabled(false);
  list_->clear();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const QString name = nameOf(classes[i]);
    auto* item = new QTreeWidgetItem(list_, {name});
    item->setData(Name, kIndexRole, static_cast<int>(i));
    item->setToolTip(Name, name);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable);
    item->setCheckState(Name, hidden_.count(classes[i].id) ? Qt::Unchecked : Qt::Checked);
    for (int column : {TruePositives, FalsePositives, Missed})
      item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
  list_->header()->setSortIndicator(-1, Qt::DescendingOrder);  // dataset order
  list_->setSortingEnabled(true);
  isFilling_ = false;
  updateText();
}

void ClassFilter::setCounts(const std::vector<std::optional<coco::Counts>>& counts) {
  isFilling_ = true;
  list_->setSortingEnabled(false);  // sort once, below
  for (int row = 0; row < list_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = list_->topLevelItem(row);
    const auto index = static_cast<std::size_t>(item->data(Name, kIndexRole).toInt());
    const auto& own = index < counts.size() ? counts[index] : std::nullopt;
    const coco::Counts shown = own.value_or(coco::Counts());
    const auto values = {shown.truePositives, shown.falsePositives, shown.falseNegatives};
    int column = TruePositives;
    for (const std::uint64_t value : values)
      item->setData(column++, Qt::DisplayRole,
                    own ? QVariant(static_cast<int>(value)) : QVariant());
  }
  list_->setSortingEnabled(true);
  isFilling_ = false;
}

void ClassFilter::setAll(Qt::CheckState state) {
  isFilling_ = true;
  for (int row = 0; row < list_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = list_->topLevelItem(row);
    if (!item->isHidden()) item->setCheckState(Name, state);
  }
  isFilling_ = false;
  readCheckBoxes();
}

void ClassFilter::filterRows() {
  for (int row = 0; row < list_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = list_->topLevelItem(row);
    item->setHidden(!search_->finds(item->text(Name)));
  }
}

void ClassFilter::readCheckBoxes() {
  if (isFilling_) return;
  std::set<CategoryId> hidden;
  unchecked_.clear();
  for (int row = 0; row < list_->topLevelItemCount(); ++row) {
    const QTreeWidgetItem* item = list_->topLevelItem(row);
    if (item->checkState(Name) == Qt::Checked) continue;
    const auto& category = classes_[static_cast<std::size_t>(item->data(Name, kIndexRole).toInt())];
    hidden.insert(category.id);
    unchecked_.insert(category.name);
  }
  if (hidden == hidden_) return;
  hidden_ = std::move(hidden);
  updateText();
  Q_EMIT hiddenChanged();
}

QStringList ClassFilter::unchecked() const {
  QStringList names;
  for (const std::string& name : unchecked_) names.append(QString::fromStdString(name));
  return names;
}

void ClassFilter::uncheck(const QStringList& names) {
  unchecked_.clear();
  for (const QString& name : names) unchecked_.insert(name.toStdString());
  setClasses(classes_);
}

void ClassFilter::updateText() {
  const auto count = static_cast<int>(classes_.size());
  const auto shown = count - static_cast<int>(hidden_.size());
  const QString text = count == 0      ? tr("No classes")
                       : shown < count ? tr("%1 of %n class(es)", "", count).arg(shown)
                       : count == 1    ? tr("1 class")
                                       : tr("All %n class(es)", "", count);
  setText(text % QStringLiteral("  ▾"));
}

}  // namespace lockstep::widgets
