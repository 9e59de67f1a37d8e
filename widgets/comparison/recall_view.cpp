#include "widgets/comparison/recall_view.h"

#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>
#include <numeric>
#include <utility>
#include <vector>

#include "widgets/class_box.h"
#include "widgets/comparison/recall_plot.h"
#include "widgets/instances/class_name.h"
#include "widgets/role.h"

namespace lockstep::widgets {
namespace {

QString knownFigureText(double value) {
  return value < 0 ? QStringLiteral("–") : QLocale().toString(value, 'f', 4);
}

}  // namespace

RecallView::RecallView(QWidget* parent) : QWidget(parent) { buildUi(); }

void RecallView::buildUi() {
  classes_ = new ClassBox(tr("Class of the curves"), tr("All classes, pooled"));
  classes_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  classes_->setMinimumContentsLength(12);
  note_ = new QLabel;
  figures_ = new QLabel;
  for (QLabel* label : {note_, figures_}) label->setWordWrap(true);
  setRole(note_, "muted");
  plot_ = new RecallPlot;
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 6, 0, 0);
  column->addWidget(classes_);
  column->addWidget(note_);
  column->addWidget(figures_);
  column->addWidget(plot_, 1);
  connect(classes_, &ClassBox::currentIndexChanged, this, &RecallView::showCurves);
  connect(plot_, &RecallPlot::pointChosen, this,
          [this](int side, double score) { Q_EMIT pointChosen(side, category(), score); });
}

std::optional<std::size_t> RecallView::category() const {
  const auto row = classes_->chosen();
  return row ? std::optional(static_cast<std::size_t>(*row)) : std::nullopt;
}

QString RecallView::shownClass() const { return classes_->currentText(); }

const QString& RecallView::wantedClass() const { return classes_->wanted(); }

void RecallView::wantClass(const QString& name) { classes_->want(name); }

void RecallView::setPair(std::shared_ptr<const MatchedPair> pair, double scoreThreshold) {
  pair_ = std::move(pair);
  scoreThreshold_ = scoreThreshold;
  if (pair_) listClasses();
  showCurves();
}

void RecallView::listClasses() {
  std::vector<ClassBox::Class> classes;
  for (const coco::Category& category : pair_->categories())
    classes.push_back({nameOf(category), static_cast<qint64>(classes.size())});
  classes_->setClasses(classes);
}

const coco::PrecisionRecallCurve& RecallView::curveOf(std::size_t side) const {
  const coco::PrecisionRecall& own = pair_->side(side).curves;
  return category() ? own.classes[*category()] : own.pooled;
}

/// Of which objects, and what counts as found.
QString RecallView::noteText() const {
  const auto& counts = pair_->objectCounts();
  const std::size_t objects =
      category() ? counts[*category()] : std::reduce(counts.begin(), counts.end());
  const QString of = tr("%Ln object(s)", "", static_cast<int>(objects));
  return tr("%1, IoU ≥ %2, detections of every score; a point lists its detections")
      .arg(of, QLocale().toString(pair_->iouThreshold(), 'f', 2));
}

QString RecallView::figuresText(std::size_t side) const {
  const coco::PrecisionRecallCurve& own = curveOf(side);
  if (own.bestF1 < 0) return tr("no objects");
  const QString ap = tr("AP50 %1").arg(knownFigureText(own.ap));
  if (own.bestF1 == 0) return tr("%1, no detection finds an object").arg(ap);
  return tr("%1, best F1 %2 at score %3")
      .arg(ap, knownFigureText(own.bestF1), QLocale().toString(own.bestF1Score, 'f', 3));
}

void RecallView::showCurves() {
  note_->clear();
  figures_->clear();
  if (!pair_) return plot_->setCurves({}, scoreThreshold_);
  note_->setText(noteText());
  figures_->setText(tr("A: %1\nB: %2").arg(figuresText(0), figuresText(1)));
  plot_->setCurves({curveOf(0).points, curveOf(1).points}, scoreThreshold_);
}

}  // namespace lockstep::widgets
