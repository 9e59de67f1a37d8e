#include "widgets/comparison/recall_view.h"

#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/comparison/recall_plot.h"
#include "widgets/role.h"

namespace lockstep::widgets {
namespace {

QString figureText(double value) {
  return value < 0 ? QStringLiteral("–") : QLocale().toString(value, 'f', 4);
}

}  // namespace

RecallView::RecallView(QWidget* parent) : QWidget(parent) { buildUi(); }

void RecallView::buildUi() {
  classes_ = new QComboBox;
  classes_->setAccessibleName(tr("Class of the curves"));
  classes_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  classes_->setMinimumContentsLength(12);
  figures_ = new QLabel;
  figures_->setTextFormat(Qt::PlainText);
  figures_->setWordWrap(true);
  setRole(figures_, "muted");
  plot_ = new RecallPlot;
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 6, 0, 0);
  column->addWidget(classes_);
  column->addWidget(figures_);
  column->addWidget(plot_, 1);
  connect(classes_, &QComboBox::currentIndexChanged, this, &RecallView::showCurves);
  connect(plot_, &RecallPlot::pointChosen, this,
          [this](int side, double score) { Q_EMIT pointChosen(side, category(), score); });
}

std::optional<std::size_t> RecallView::category() const {
  const int row = classes_->currentIndex() - 1;
  return row < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(row));
}

QString RecallView::shownClass() const { return pair_ ? classes_->currentText() : shownClass_; }

void RecallView::setShownClass(const QString& name) {
  shownClass_ = name;
  if (const int row = classes_->findText(name); row >= 0) classes_->setCurrentIndex(row);
}

void RecallView::setPair(std::shared_ptr<const MatchedPair> pair, double scoreThreshold) {
  if (pair_) shownClass_ = classes_->currentText();
  pair_ = std::move(pair);
  scoreThreshold_ = scoreThreshold;
  {
    const QSignalBlocker blocker(classes_);
    classes_->clear();
    classes_->addItem(tr("All classes, pooled"));
    if (pair_)
      for (const coco::Category& category : pair_->categories())
        classes_->addItem(QString::fromStdString(category.name));
    classes_->setCurrentIndex(std::max(0, classes_->findText(shownClass_)));
  }
  showCurves();
}

void RecallView::showCurves() {
  figures_->clear();
  if (!pair_) return plot_->setCurves({}, scoreThreshold_);
  const auto curveOf = [&](std::size_t side) -> const coco::PrecisionRecallCurve& {
    const coco::PrecisionRecall& own = pair_->side(side).curves;
    return category() ? own.classes[*category()] : own.pooled;
  };
  const auto text = [&](std::size_t side) {
    const coco::PrecisionRecallCurve& own = curveOf(side);
    return tr("AP50 %1, best F1 %2 at score %3")
        .arg(figureText(own.ap), figureText(own.bestF1),
             QLocale().toString(own.bestF1Score, 'f', 3));
  };
  figures_->setText(tr("A: %1\nB: %2").arg(text(0), text(1)));
  plot_->setCurves({curveOf(0).points, curveOf(1).points}, scoreThreshold_);
}

}  // namespace lockstep::widgets
