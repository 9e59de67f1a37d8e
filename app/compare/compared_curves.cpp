#include "app/compare/compared_curves.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "app/cards/card_curves.h"
#include "app/cards/metric_curve.h"
#include "widgets/plots/axis_choice.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/run_legend.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kCardHeightPx = 130;

}  // namespace

ComparedCurves::ComparedCurves(QWidget* parent) : QWidget(parent) {
  buildUi();
  connect(figures_, &QComboBox::currentIndexChanged, this, &ComparedCurves::showCards);
  connect(axis_, &widgets::AxisChoice::axisChanged, this, &ComparedCurves::giveCurves);
  setSides({});
}

void ComparedCurves::buildUi() {
  figures_ = new QComboBox;
  figures_->setAccessibleName(tr("Loss to plot"));
  figures_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  figures_->setMinimumContentsLength(10);
  axis_ = new widgets::AxisChoice;
  note_ = new QLabel;
  note_->setWordWrap(true);
  widgets::setRole(note_, "muted");
  auto* head = new QHBoxLayout;
  head->addWidget(figures_, 1);
  head->addWidget(axis_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 6, 0, 0);
  column->setSpacing(6);
  column->addLayout(head);
  legend_ = new widgets::RunLegend;
  column->addWidget(note_);
  column->addWidget(legend_);
  // So that the page is not as high as the cards would like to be.
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  auto* inside = new QWidget;
  column_ = new QVBoxLayout(inside);
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(6);
  scroll->setWidget(inside);
  column->addWidget(scroll, 1);
  for (const CardPlan& plan : monitorCards())
    if (!plan.curves.empty() && plan.curves.back().evaluation) addCard(plan);
}

void ComparedCurves::addCard(const CardPlan& plan) {
  Card card{plan, new widgets::CurveCard(plan.title), plan.curves.back().gapToPrevious};
  card.card->plot()->setYLimits(plan.yMin, plan.yMax);
  card.card->plot()->setIgnoreOutliers(plan.ignoreOutliers);
  card.card->setMinimumHeight(widgets::scaledPx(kCardHeightPx));
  connect(card.card->plot(), &widgets::CurvePlot::clicked, this, &ComparedCurves::choose);
  connect(card.card->plot(), &widgets::CurvePlot::cursorMoved, this,
          [this, own = card.card](std::optional<double> x) {
            for (const Card& each : cards_) each.card->plot()->showCursor(x, each.card == own);
          });
  column_->addWidget(card.card, 1);
  if (card.isLoss) figures_->addItem(plan.title, static_cast<int>(cards_.size()));
  cards_.push_back(std::move(card));
}

void ComparedCurves::setSides(const std::array<Side, 2>& sides) {
  if (sides == sides_ && !note_->text().isEmpty()) return refresh();
  sides_ = sides;
  showCards();
  giveCurves();
}

std::array<bool, 3> ComparedCurves::scope() const {
  std::array<bool, 3> scope{false, false, haveMasks()};
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const auto& run = sides_.at(i).run.run;
    scope.at(i) = run && hasAxis(*run, axis_->axis());
  }
  return scope;
}

bool ComparedCurves::haveMasks() const {
  return std::ranges::any_of(sides_, [](const Side& side) {
    return side.run.run && side.run.run->evaluationPlan().hasMasks;
  });
}

/// The chosen loss, and AP of what is detected.
void ComparedCurves::showCards() {
  const std::size_t chosen = static_cast<std::size_t>(figures_->currentData().toInt());
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    const Card& each = cards_[i];
    const bool isAp = !each.isLoss && each.plan.curves.front().isOfMasks == haveMasks();
    each.card->setVisible(each.isLoss ? i == chosen : isAp);
  }
}

/// Two checkpoints of one run have the same curves.
std::vector<RunGroup> ComparedCurves::groups() const {
  std::vector<RunGroup> groups;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    ShownRun run = sides_.at(i).run;
    if (!run.run || (isOneRun() && i > 0)) continue;
    const QString letter = isOneRun() ? tr("A, B") : i == 0 ? tr("A") : tr("B");
    run.name = tr("%1: %2").arg(letter, run.name);
    run.styleIndex = static_cast<int>(i);
    groups.push_back({run.name, run.styleIndex, {run}});
  }
  return groups;
}

void ComparedCurves::giveCurves() {
  const widgets::XAxis axis = axis_->axis();
  std::vector<RunGroup> drawn = groups();
  std::erase_if(drawn,
                [axis](const RunGroup& group) { return !hasAxis(*group.runs.front().run, axis); });
  std::vector<widgets::EventMark> marks;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const Side& side = sides_.at(i);
    if (!side.run.run || !hasAxis(*side.run.run, axis)) continue;
    if (const auto x = xOfStep(*side.run.run, side.step, axis))
      marks.push_back(
          {*x, tr("%1: step %2").arg(i == 0 ? tr("A") : tr("B"), QLocale().toString(side.step)),
           widgets::EventMark::Kind::Checkpoint});
  }
  CardScope ofCards;
  ofCards.hasMasks = haveMasks();
  for (const Card& each : cards_) {
    each.card->plot()->setXAxis(axis);
    each.card->setCurves(curvesOfCard(each.plan, drawn, ofCards, axis));
    each.card->setEventMarks(marks);
    each.card->refresh();
  }
  std::vector<widgets::RunLegend::Run> legend;
  for (const RunGroup& group : drawn) legend.push_back({group.name, group.styleIndex, false});
  legend_->setRuns(std::move(legend));
  drawn_ = scope();
  note_->setText(noteText());
}

QString ComparedCurves::noteText() const {
  QStringList missing;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const auto& run = sides_.at(i).run.run;
    const QString letter = i == 0 ? tr("A") : tr("B");
    if (!run)
      missing << tr("%1 is not a run: it has no curves.").arg(letter);
    else if (!hasAxis(*run, axis_->axis()))
      missing << tr("%1 cannot be drawn over this axis.").arg(letter);
  }
  if (!missing.isEmpty()) return missing.join(u' ');
  return isOneRun() ? tr("Click to choose the nearest checkpoint as B.")
                    : tr("Click to choose the nearest checkpoints.");
}

void ComparedCurves::refresh() {
  if (drawn_ != scope()) {
    showCards();
    return giveCurves();
  }
  for (const Card& each : cards_)
    if (each.card->isVisible()) each.card->refresh();
}

void ComparedCurves::choose(double x) {
  std::array<std::optional<qint64>, 2> steps;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const auto& run = sides_.at(i).run.run;
    const bool isKept = isOneRun() && i == 0;
    if (run && !isKept && hasAxis(*run, axis_->axis()))
      steps.at(i) = stepAtX(*run, x, axis_->axis());
  }
  Q_EMIT stepsChosen(steps);
}

std::vector<widgets::CurveCard*> ComparedCurves::cards() const {
  std::vector<widgets::CurveCard*> all;
  for (const Card& each : cards_) all.push_back(each.card);
  return all;
}

QString ComparedCurves::figure() const { return figures_->currentText(); }

void ComparedCurves::setFigure(const QString& title) {
  if (const int row = figures_->findText(title); row >= 0) figures_->setCurrentIndex(row);
}

}  // namespace lockstep::app
