#include "widgets/comparison/confusion_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QTableView>
#include <QVBoxLayout>

#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {

ConfusionView::ConfusionView(QWidget* parent) : QWidget(parent) { buildUi(); }

void ConfusionView::buildUi() {
  model_ = new ConfusionModel(this);
  views_ = new QComboBox;
  views_->setAccessibleName(tr("Confusion matrix of"));
  for (const QString& name : {tr("A"), tr("B"), tr("B − A")}) views_->addItem(name);
  note_ = new QLabel;
  setRole(note_, "muted");
  note_->setWordWrap(true);
  table_ = new QTableView;
  table_->setModel(model_);
  table_->setAccessibleName(tr("Confusion matrix"));
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setTabKeyNavigation(false);
  // Not by their contents: measuring the cells of a thousand classes takes a minute.
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->horizontalHeader()->setDefaultSectionSize(scaledPx(64));
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  auto* head = new QHBoxLayout;
  head->addWidget(views_);
  head->addWidget(note_, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 6, 0, 0);
  column->addLayout(head);
  column->addWidget(table_, 1);
  connect(views_, &QComboBox::currentIndexChanged, this,
          [this](int view) { model_->setView(static_cast<ComparedView>(view)); });
  connect(table_, &QTableView::clicked, this, &ConfusionView::choose);
  connect(table_, &QTableView::activated, this, &ConfusionView::choose);
}

void ConfusionView::choose(const QModelIndex& cell) {
  const int last = model_->rowCount() - 1;
  if (cell.row() == last && cell.column() == last) return;
  Q_EMIT cellChosen({model_->view(), static_cast<std::size_t>(cell.row()),
                     static_cast<std::size_t>(cell.column()), scoreThreshold_,
                     model_->textOf(cell)});
}

void ConfusionView::setConfusions(const std::vector<coco::Category>& categories,
                                  const MatchedPair::Confusions& both, double scoreThreshold) {
  model_->setConfusions(categories, both);
  scoreThreshold_ = scoreThreshold;
  note_->setText(tr("rows: objects, columns: detections with a score from %1 on; a cell lists its "
                    "images")
                     .arg(QLocale().toString(scoreThreshold, 'f', 2)));
}

void ConfusionView::clear() {
  model_->clear();
  note_->clear();
}

void ConfusionView::setView(ComparedView view) { views_->setCurrentIndex(static_cast<int>(view)); }

}  // namespace lockstep::widgets
