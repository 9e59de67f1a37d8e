#include "widgets/dataset_view/findings_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>
#include <utility>

#include "widgets/curves/number_text.h"
#include "widgets/dataset_view/findings_model.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

using dataset_check::Finding;
using dataset_check::Part;

constexpr int kRowPx = 24, kPlacePx = 130, kMinTextPx = 190;

/// Names of files differ at their ends.
class PlaceDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->textElideMode = Qt::ElideMiddle;
  }
};

int faultsIn(const std::vector<Finding>& findings) {
  return static_cast<int>(std::ranges::count_if(
      findings, [](const Finding& one) { return dataset_check::isFault(one.kind); }));
}

}  // namespace

FindingsPanel::FindingsPanel(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
  showState();
}

void FindingsPanel::buildUi() {
  model_ = new FindingsModel(this);
  filtered_ = new QSortFilterProxyModel(this);
  filtered_->setSourceModel(model_);
  filtered_->setFilterKeyColumn(-1);
  filtered_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  summary_ = new QLabel;
  summary_->setWordWrap(true);
  check_ = new QPushButton;
  clean_ = new QPushButton(tr("Export cleaned…"));
  clean_->setToolTip(tr(
      "Write annotations without these errors, and an experiment that uses them, to a new folder"));
  filter_ = new QLineEdit;
  filter_->setPlaceholderText(tr("Filter: kind, file, words"));
  filter_->setAccessibleName(filter_->placeholderText());
  filter_->setClearButtonEnabled(true);
  buildTable();

  auto* buttons = new QHBoxLayout;
  buttons->addWidget(check_);
  buttons->addWidget(clean_);
  buttons->addStretch();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  column->addWidget(summary_);
  column->addLayout(buttons);
  column->addWidget(filter_);
  column->addWidget(table_, 1);
  column->addStretch();  // while there is no table
}

void FindingsPanel::buildTable() {
  table_ = new QTableView;
  table_->setModel(filtered_);
  table_->setItemDelegateForColumn(FindingsModel::Place, new PlaceDelegate(table_));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTabKeyNavigation(false);
  table_->setAccessibleName(tr("What was found"));
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(scaledPx(kRowPx));
  table_->horizontalHeader()->setSectionResizeMode(FindingsModel::Text, QHeaderView::Stretch);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->setColumnWidth(FindingsModel::Place, scaledPx(kPlacePx));
}

/// The place, which choosing the row shows, gives way to what was found.
void FindingsPanel::fitColumns() {
  const int left = width() - table_->columnWidth(FindingsModel::Kind) - scaledPx(kPlacePx);
  table_->setColumnHidden(FindingsModel::Place, left < scaledPx(kMinTextPx));
}

void FindingsPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitColumns();
}

void FindingsPanel::connectSignals() {
  connect(check_, &QPushButton::clicked, this, [this] {
    if (progress_.isEmpty())
      Q_EMIT checkRequested();
    else
      Q_EMIT checkCanceled();
  });
  connect(clean_, &QPushButton::clicked, this, &FindingsPanel::cleaningRequested);
  connect(filter_, &QLineEdit::textChanged, filtered_,
          &QSortFilterProxyModel::setFilterFixedString);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (!current.isValid()) return;
            const int row = filtered_->mapToSource(current).row();
            Q_EMIT findingChosen(model_->findings()[static_cast<std::size_t>(row)]);
          });
}

void FindingsPanel::clear() {
  isChecked_ = false;
  otherFaults_ = 0;
  model_->setFindings({});
  showState();
}

void FindingsPanel::setFindings(const std::vector<Finding>& findings, Part shown) {
  isChecked_ = true;
  part_ = shown;
  std::vector<Finding> own;
  std::ranges::copy_if(findings, std::back_inserter(own),
                       [shown](const Finding& one) { return one.part == shown; });
  otherFaults_ = faultsIn(findings) - faultsIn(own);
  model_->setFindings(std::move(own));
  table_->resizeColumnToContents(FindingsModel::Kind);
  fitColumns();
  showState();
}

void FindingsPanel::setProgress(const QString& text) {
  progress_ = text;
  showState();
}

int FindingsPanel::faultCount() const { return faultsIn(model_->findings()); }

void FindingsPanel::moveBy(int rows) {
  const int count = filtered_->rowCount();
  if (count == 0) return;
  const int current = table_->currentIndex().isValid() ? table_->currentIndex().row()
                      : rows > 0                       ? -1
                                                       : 0;
  table_->setCurrentIndex(filtered_->index(((current + rows) % count + count) % count, 0));
}

void FindingsPanel::showState() {
  const bool isChecking = !progress_.isEmpty();
  check_->setText(isChecking   ? tr("Cancel")
                  : isChecked_ ? tr("Check again")
                               : tr("Check every image"));
  clean_->setVisible(hasFaults() && !isChecking);
  filter_->setVisible(model_->rowCount() > 0);
  table_->setVisible(model_->rowCount() > 0);
  summary_->setText(
      isChecking ? progress_
      : !isChecked_
          ? tr("Counts come from the annotations alone. A check opens every image and draws every "
               "mask, to find those that are missing, damaged, duplicate or wrong.")
          : summaryText());
}

QString FindingsPanel::summaryText() const {
  if (model_->rowCount() + otherFaults_ == 0)
    return tr("Every image and annotation was checked: no errors, no warnings.");
  QString elsewhere;
  if (otherFaults_ > 0)
    elsewhere =
        (part_ == Part::Train ? tr(", %1 in the validation set") : tr(", %1 in the training set"))
            .arg(countText(otherFaults_));
  const int faults = faultCount(), notes = model_->rowCount() - faults;
  return tr("%1%2; %3")
      .arg(tr("%Ln error(s) (●)", "", faults), elsewhere, tr("%Ln warning(s) (▲)", "", notes));
}

}  // namespace lockstep::widgets
