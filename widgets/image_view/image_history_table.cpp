#include "widgets/image_view/image_history_table.h"

#include <QHeaderView>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kRowPx = 24, kShownRows = 5;

const QString kUnknown = QStringLiteral("–");

/// Without the step and the loss.
QStringList textsOf(const ImageHistory::OfStep& of) {
  return {QString::number(of.counts.truePositives), QString::number(of.counts.falsePositives),
          QString::number(of.counts.falseNegatives),
          std::isfinite(of.meanIou) ? QString::number(of.meanIou, 'f', 2) : kUnknown};
}

/// The cells of each step.
std::map<qint64, QStringList> rowsOf(const std::vector<ImageHistory::OfStep>& steps,
                                     const std::map<qint64, double>& losses) {
  std::map<qint64, QStringList> rows;
  for (const auto& [step, loss] : losses) rows[step] = {kUnknown, kUnknown, kUnknown, kUnknown};
  for (const ImageHistory::OfStep& of : steps) rows[of.step] = textsOf(of);
  for (auto& [step, texts] : rows) {
    const auto loss = losses.find(step);
    texts.prepend(QString::number(step));
    texts.append(loss == losses.end() ? kUnknown : QString::number(loss->second, 'f', 3));
  }
  return rows;
}

}  // namespace

ImageHistoryTable::ImageHistoryTable(QWidget* parent) : QTableWidget(0, kColumns, parent) {
  setHorizontalHeaderLabels({tr("Step"), tr("TP"), tr("FP"), tr("FN"), tr("Mean IoU"), tr("Loss")});
  setAccessibleName(tr("This image through the checkpoints"));
  setToolTip(
      tr("At the thresholds above, of shown classes; mean IoU of the right detections with their "
         "objects; validation loss at that step's evaluation.\nA row shows its checkpoint."));
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setShowGrid(false);
  setTabKeyNavigation(false);
  horizontalHeader()->setFont(interfaceFont(12));
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(scaledPx(kRowPx));
  setMinimumHeight(scaledPx(kRowPx * 3));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(this, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (row >= 0 && row < static_cast<int>(steps_.size()))
      Q_EMIT stepChosen(steps_[static_cast<std::size_t>(row)]);
  });
}

QSize ImageHistoryTable::sizeHint() const {
  return {scaledPx(300), scaledPx(kRowPx * (kShownRows + 1))};
}

void ImageHistoryTable::setHistory(const std::vector<ImageHistory::OfStep>& steps,
                                   const std::map<qint64, double>& losses) {
  const QSignalBlocker blocker(this);
  steps_.clear();
  const auto rows = rowsOf(steps, losses);
  setRowCount(static_cast<int>(rows.size()));
  int row = 0;
  for (const auto& [step, texts] : rows) {
    steps_.push_back(step);
    for (int column = 0; column < kColumns; ++column) {
      auto* cell = new QTableWidgetItem(texts[column]);
      cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      setItem(row, column, cell);
    }
    ++row;
  }
}

void ImageHistoryTable::showStep(qint64 step) {
  const QSignalBlocker blocker(this);
  const auto found = std::ranges::find(steps_, step);
  if (found == steps_.end()) {
    clearSelection();
    return setCurrentCell(-1, -1);
  }
  const int row = static_cast<int>(found - steps_.begin());
  if (row == currentRow()) return;
  setCurrentCell(row, std::max(0, currentColumn()));
}

}  // namespace lockstep::widgets
