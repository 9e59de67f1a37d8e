#include "widgets/comparison/confusion_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QSplitter>
#include <QTableView>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "widgets/comparison/roomy_delegate.h"
#include "widgets/comparison/rotated_header.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

enum ConfusionColumn { kActual, kPredicted, kValue };

constexpr std::size_t kMostListed = 200;
constexpr int kCellPx = 46, kRowPx = 24, kNamesPx = 120, kBesideFromPx = 620;

}  // namespace

ConfusionView::ConfusionView(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
}

void ConfusionView::buildUi() {
  model_ = new ConfusionModel(this);
  views_ = new QComboBox;
  views_->setAccessibleName(tr("Confusion matrix of"));
  for (const QString& name : {tr("A"), tr("B"), tr("B − A")}) views_->addItem(name);
  units_ = new QComboBox;
  units_->setAccessibleName(tr("Unit of the confusion matrix"));
  units_->addItem(tr("Counts"));
  units_->addItem(tr("Normalised by true class"));
  units_->setItemData(1, tr("Shares of the objects of each row: the diagonal is recall"),
                      Qt::ToolTipRole);
  units_->addItem(tr("Normalised by predicted class"));
  units_->setItemData(2, tr("Shares of the detections of each column: the diagonal is precision"),
                      Qt::ToolTipRole);
  units_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  units_->setMinimumContentsLength(10);
  empty_ = new QCheckBox(tr("Empty classes"));
  empty_->setToolTip(tr("Also show classes without objects and detections"));
  note_ = new QLabel;
  setRole(note_, "muted");
  note_->setWordWrap(true);
  buildMatrix();
  buildLargest();
  split_ = new QSplitter(Qt::Vertical);
  split_->setChildrenCollapsible(false);
  split_->addWidget(table_);
  split_->addWidget(largest_);
  split_->setStretchFactor(0, 3);
  split_->setStretchFactor(1, 1);
  auto* head = new QHBoxLayout;
  head->addWidget(views_);
  head->addWidget(units_, 1);
  head->addWidget(empty_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 6, 0, 0);
  column->addLayout(head);
  column->addWidget(note_);
  column->addWidget(split_, 1);
  setFocusProxy(table_);
}

void ConfusionView::buildMatrix() {
  table_ = new QTableView;
  table_->setHorizontalHeader(new RotatedHeader(table_));
  table_->setModel(model_);
  table_->setAccessibleName(tr("Confusion matrix: rows are objects, columns are predictions"));
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setTabKeyNavigation(false);
  // Not by their contents: measuring the cells of a thousand classes takes a minute.
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->horizontalHeader()->setMinimumSectionSize(scaledPx(kRowPx));
  table_->horizontalHeader()->setDefaultSectionSize(scaledPx(kCellPx));
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->verticalHeader()->setDefaultSectionSize(scaledPx(kRowPx));
  table_->verticalHeader()->setMaximumWidth(scaledPx(kNamesPx));
  table_->verticalHeader()->setTextElideMode(Qt::ElideRight);
  table_->setMinimumHeight(scaledPx(4 * kRowPx));
}

void ConfusionView::buildLargest() {
  largest_ = new QTreeWidget;
  largest_->setRootIsDecorated(false);
  largest_->setUniformRowHeights(true);
  largest_->setItemDelegate(new RoomyDelegate(largest_));
  largest_->setAccessibleName(tr("Most frequent confusions"));
  largest_->setHeaderLabels({tr("Largest confusions of"), tr("Predicted as"), tr("Count")});
  largest_->headerItem()->setTextAlignment(kValue, Qt::AlignRight | Qt::AlignVCenter);
  largest_->header()->setStretchLastSection(false);
  largest_->header()->setSectionResizeMode(QHeaderView::Stretch);
  largest_->header()->setSectionResizeMode(kValue, QHeaderView::ResizeToContents);
  largest_->setMinimumHeight(scaledPx(3 * kRowPx));
}

void ConfusionView::connectSignals() {
  connect(views_, &QComboBox::currentIndexChanged, this, [this](int view) {
    model_->setView(static_cast<ComparedView>(view));
    showLargest();
  });
  connect(units_, &QComboBox::currentIndexChanged, this, [this](int unit) {
    model_->setUnit(static_cast<ConfusionUnit>(unit));
    showLargest();
  });
  connect(empty_, &QCheckBox::toggled, model_, &ConfusionModel::setEmptyShown);
  const auto chooseCell = [this](const QModelIndex& cell) { choose(model_->cellAt(cell)); };
  connect(table_, &QTableView::clicked, this, chooseCell);
  connect(table_, &QTableView::activated, this, chooseCell);
  const auto chooseRow = [this](QTreeWidgetItem* item) {
    const auto row = static_cast<std::size_t>(largest_->indexOfTopLevelItem(item));
    if (row < listed_.size()) choose(listed_[row]);
  };
  connect(largest_, &QTreeWidget::itemClicked, this, chooseRow);
  connect(largest_, &QTreeWidget::itemActivated, this, chooseRow);
}

void ConfusionView::choose(const ConfusionModel::Cell& cell) {
  if (model_->isCorner(cell)) return;
  Q_EMIT cellChosen(
      {model_->view(), cell.actual, cell.predicted, scoreThreshold_, model_->textOf(cell)});
}

void ConfusionView::setConfusions(const std::vector<coco::Category>& categories,
                                  const MatchedPair::Confusions& both, double scoreThreshold) {
  model_->setConfusions(categories, both);
  scoreThreshold_ = scoreThreshold;
  note_->setText(tr("rows: objects, columns: detections with a score from %1 on; a cell lists its "
                    "images")
                     .arg(QLocale().toString(scoreThreshold, 'f', 2)));
  showEmptyCount();
  showLargest();
}

void ConfusionView::showEmptyCount() {
  const std::size_t count = model_->emptyClasses();
  empty_->setText(tr("%Ln empty class(es)", "", static_cast<int>(count)));
  empty_->setVisible(count > 0);
}

void ConfusionView::showLargest() {
  largest_->clear();
  listed_ = model_->largestConfusions(kMostListed);
  for (const ConfusionModel::Cell& cell : listed_) {
    auto* item = new QTreeWidgetItem(
        largest_, {model_->classNameOf(cell.actual), model_->classNameOf(cell.predicted),
                   model_->valueText(cell)});
    item->setTextAlignment(kValue, Qt::AlignRight | Qt::AlignVCenter);
    item->setFont(kValue, monoFont());
    for (const int column : {kActual, kPredicted}) item->setToolTip(column, model_->textOf(cell));
  }
  largest_->headerItem()->setText(
      kValue, model_->unit() == ConfusionUnit::Counts ? tr("Count") : tr("Share"));
  largest_->setVisible(!listed_.empty());
}

void ConfusionView::clear() {
  model_->clear();
  note_->clear();
  listed_.clear();
  largest_->clear();
  largest_->hide();
  empty_->hide();
}

void ConfusionView::setView(ComparedView view) { views_->setCurrentIndex(static_cast<int>(view)); }

void ConfusionView::setUnit(ConfusionUnit unit) { units_->setCurrentIndex(static_cast<int>(unit)); }

void ConfusionView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  split_->setOrientation(width() >= scaledPx(kBesideFromPx) ? Qt::Horizontal : Qt::Vertical);
}

}  // namespace lockstep::widgets
