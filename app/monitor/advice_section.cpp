#include "app/monitor/advice_section.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <ranges>
#include <utility>

#include "app/cards/card_curves.h"
#include "app/cards/metric_curve.h"
#include "app/cards/tag_sections.h"
#include "app/monitor/card_grid.h"
#include "app/runs/open/run_alerts.h"
#include "app/text/window_words.h"
#include "widgets/fold_button.h"
#include "widgets/literal_text.h"
#include "widgets/plots/curve_card.h"
#include "widgets/role.h"

namespace lockstep::app {
namespace {

constexpr int kAdviceCardPx = 250, kMaxAdviceColumns = 4;
/// Curves of a card: no rule names as many tags.
constexpr std::size_t kMaxEvidence = 16;

/// The alert's curves, each in a style of its own.
std::vector<widgets::Curve> evidenceOf(const protocol::Alert& alert, const ShownRun& run,
                                       widgets::XAxis axis) {
  CardPlan plan;
  for (const std::string& tag : alert.tags | std::views::take(kMaxEvidence)) {
    plan.curves.push_back(curveOfTag(tag));
    plan.curves.back().name = QString::fromStdString(tag);  // whole: train/ and eval/ differ
  }
  std::vector<widgets::Curve> curves = curvesOfCard(plan, groupsOf({run}, false), {}, axis);
  for (std::size_t i = 0; i < curves.size(); ++i) curves[i].styleIndex += static_cast<int>(i);
  return curves;
}

/// The steps of the evidence on the axis.
std::optional<std::pair<double, double>> rangeOf(const protocol::Alert& alert,
                                                 const RunController& run, widgets::XAxis axis) {
  const auto [first, last] = evidenceSteps(alert);
  const auto from = xOfStep(run, first, axis), to = xOfStep(run, last, axis);
  return from && to ? std::optional(std::pair(*from, *to)) : std::nullopt;
}

/// Its experiment and checkpoints are here.
bool isOwn(const RunController& run) { return !run.place() && !run.program(); }

}  // namespace

AdviceSection::AdviceSection(widgets::DrawQueue* queue, QWidget* parent)
    : QWidget(parent), queue_(queue) {
  buildUi();
  setScrollBarWidth(0);
  hide();
}

void AdviceSection::buildUi() {
  fold_ = new widgets::FoldButton;
  body_ = new QWidget;
  body_->hide();
  grid_ = new QGridLayout(body_);
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setSpacing(12);
  auto* column = new QVBoxLayout(this);
  column->setSpacing(8);
  column->addWidget(fold_, 0, Qt::AlignLeft);
  column->addWidget(body_);
  connect(fold_, &widgets::FoldButton::toggled, body_, &QWidget::setVisible);
  connect(fold_, &widgets::FoldButton::openChanged, this, &AdviceSection::openChanged);
}

void AdviceSection::setOpen(bool open) { fold_->setOpen(open); }

void AdviceSection::showAdviceOf(const std::optional<ShownRun>& run, widgets::XAxis axis) {
  const RunController* shown = run ? run->run.data() : nullptr;
  const auto advice = shown ? adviceIn(shown->history().alerts()) : std::vector<protocol::Alert>();
  const auto checkpoints = shown ? shown->checkpointSteps() : std::vector<std::int64_t>();
  const bool isSame =
      run_.run.data() == shown && axis == axis_ && checkpoints == checkpoints_ &&
      std::ranges::equal(advice, advice_, {}, &protocol::Alert::seq, &protocol::Alert::seq);
  if (!isSame) {
    run_ = run.value_or(ShownRun());
    axis_ = axis;
    checkpoints_ = checkpoints;
    advice_ = advice;
    makeCards();
  }
  for (widgets::CurveCard* card : cards_) card->refresh();
}

void AdviceSection::makeCards() {
  for (widgets::CurveCard* card : std::exchange(cards_, {})) {
    card->hide();
    card->deleteLater();
  }
  for (const protocol::Alert& alert : advice_) cards_.push_back(makeCard(alert));
  layOut();
  QStringList titles;
  for (const protocol::Alert& alert : advice_) titles << alertTitle(alert);
  fold_->setTitle(tr("Advice: %1").arg(titles.join(QStringLiteral(" · "))));
  setVisible(isShown_ && !cards_.empty());
}

widgets::CurveCard* AdviceSection::makeCard(const protocol::Alert& alert) {
  auto* card = new widgets::CurveCard(alertTitle(alert), queue_);
  card->setObjectName(QStringLiteral("adviceCard"));
  card->setMinimumHeight(kAdviceCardPx);
  card->setFooter(makeFooter(alert));
  card->setCurves(evidenceOf(alert, run_, axis_));
  widgets::CurvePlot* plot = card->plot();
  plot->setXAxis(axis_);
  plot->setSelectedRange(rangeOf(alert, *run_.run, axis_));
  connect(plot, &widgets::CurvePlot::cursorMoved, plot,
          [plot](std::optional<double> x) { plot->showCursor(x, true); });
  connect(card, &widgets::CurveCard::predictionsRequested, this,
          &AdviceSection::predictionsRequested);
  connect(card, &widgets::CurveCard::exportRequested, this,
          [this, card] { Q_EMIT exportRequested(card); });
  return card;
}

QWidget* AdviceSection::makeFooter(const protocol::Alert& alert) {
  auto* footer = new QWidget;
  auto* row = new QHBoxLayout(footer);
  row->setContentsMargins(14, 2, 14, 6);
  row->setSpacing(12);
  auto* text = new QLabel(widgets::inertText(inWindowWords(alert.text)));
  text->setWordWrap(true);
  text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  widgets::setRole(text, "muted");
  row->addWidget(text, 1);
  if (!changeOf(alert).isEmpty() && isOwn(*run_.run))
    row->addWidget(makeChange(alert), 0, Qt::AlignBottom);
  return footer;
}

QWidget* AdviceSection::makeChange(const protocol::Alert& alert) {
  const QString change = changeOf(alert);
  const bool isFork = placeOfChange(alert, checkpoints_) == ChangePlace::Fork;
  auto* button =
      new QPushButton(widgets::literalText(changeText(placeOfChange(alert, checkpoints_), change)));
  button->setObjectName(isFork ? QStringLiteral("forkWith") : QStringLiteral("copyWith"));
  button->setToolTip(isFork ? tr("A new run from a checkpoint of this one, with this change")
                            : tr("The experiment file of this run with this change, to train from "
                                 "the start: there is no earlier checkpoint"));
  const qint64 step = evidenceSteps(alert).first;
  connect(button, &QPushButton::clicked, this, [this, change, step, isFork] {
    if (!run_.run) return;
    if (isFork) {
      Q_EMIT forkRequested(run_.run->folder(), change, step);
    } else {
      Q_EMIT copyRequested(run_.run->folder(), change);
    }
  });
  return button;
}

void AdviceSection::setColumns(int columns) {
  if (columns == std::exchange(columns_, columns)) return;
  layOut();
}

/// Two small columns for each, because there is a text.
void AdviceSection::layOut() {
  const int columns = std::max(1, columns_ / 2);
  for (widgets::CurveCard* card : cards_) grid_->removeWidget(card);
  for (int i = 0; i < kMaxAdviceColumns; ++i) grid_->setColumnStretch(i, i < columns ? 1 : 0);
  for (int i = 0; i < static_cast<int>(cards_.size()); ++i)
    grid_->addWidget(cards_[static_cast<std::size_t>(i)], i / columns, i % columns);
}

void AdviceSection::setScrollBarWidth(int widthPx) {
  layout()->setContentsMargins(CardGrid::kMarginPx, 10, CardGrid::kMarginPx - widthPx, 0);
}

void AdviceSection::setShown(bool shown) {
  isShown_ = shown;
  setVisible(isShown_ && !cards_.empty());
}

}  // namespace lockstep::app
