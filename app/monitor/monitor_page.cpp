#include "app/monitor/monitor_page.h"

#include <QComboBox>
#include <QCursor>
#include <QGridLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/metric_text.h"
#include "app/monitor/alert_banner.h"
#include "app/monitor/card_curves.h"
#include "app/monitor/card_facts.h"
#include "app/monitor/metric_curve.h"
#include "widgets/empty_state.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/run_legend.h"
#include "widgets/slider.h"
#include "widgets/theme.h"
#include "widgets/throttle.h"

namespace lockstep::app {
namespace {

constexpr int kFourColumnsPx = 1080, kTwoColumnsPx = 640, kSpaciousPx = 760;
constexpr int kSmallCardPx = 148, kMarginPx = 16, kMarginTopPx = 14;

/// What the mark of a checkpoint says.
QString checkpointText(const RunController& run, const protocol::Checkpoint& checkpoint) {
  const std::vector<std::int64_t>& kept = run.checkpointSteps();
  const bool isKept = std::binary_search(kept.begin(), kept.end(), checkpoint.step);
  const QString text = isKept ? MonitorPage::tr("checkpoint kept, step %1")
                              : MonitorPage::tr("checkpoint of step %1, kept no longer");
  if (!checkpoint.best) return text.arg(checkpoint.step);
  const auto& best = run.info().best;
  const QString metric = best ? metricText(QString::fromStdString(best->metric)) : QString();
  return text.arg(checkpoint.step) + MonitorPage::tr(" (best %1)").arg(metric);
}

}  // namespace

MonitorPage::MonitorPage(QWidget* parent) : QWidget(parent), plans_(monitorCards()) {
  buildUi();
  buildTools();
  connectSignals();
  setRuns({});
}

void MonitorPage::buildUi() {
  grid_ = new QWidget;
  layout_ = new QGridLayout(grid_);
  layout_->setContentsMargins(kMarginPx, kMarginTopPx, kMarginPx, kMarginTopPx);
  layout_->setSpacing(12);
  scroll_ = new QScrollArea;
  scroll_->setWidgetResizable(true);
  scroll_->setWidget(grid_);
  scroll_->setFrameShape(QFrame::NoFrame);
  alert_ = new AlertBanner;
  axisNote_ = new QLabel;
  axisNote_->setWordWrap(true);
  axisNote_->setContentsMargins(kMarginPx, 10, kMarginPx, 0);
  widgets::setRole(axisNote_, "muted");
  axisNote_->hide();
  runLegend_ = new widgets::RunLegend;
  runLegend_->hide();
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(alert_);
  column->addWidget(axisNote_);
  column->addWidget(runLegend_);
  column->addWidget(scroll_, 1);
  empty_ = new widgets::EmptyState;
  stack_ = new QStackedLayout(this);
  stack_->addWidget(content);
  stack_->addWidget(empty_);
  redraw_ = new widgets::Throttle(std::chrono::milliseconds(33), this);
}

/// With the first run: an empty window opens without them.
void MonitorPage::buildCards() {
  for (const CardPlan& plan : plans_) {
    auto* card = new widgets::CurveCard(plan.title, grid_);
    card->setEmptyText(plan.emptyText);
    card->plot()->setYLimits(plan.yLeast, plan.yMost);
    card->plot()->setIgnoreOutliers(plan.ignoreOutliers);
    QStringList tip;
    for (const CardCurve& curve : plan.curves) tip.append(QString::fromStdString(curve.tag));
    if (!plan.tip.isEmpty()) tip.append(plan.tip);
    card->setAccessibleName(plan.title);
    card->setTitleTip(tip.join(QLatin1Char('\n')));
    connectCard(card);
    cards_.push_back(card);
  }
}

void MonitorPage::buildTools() {
  tools_ = new QWidget;
  tools_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  smoothingLabel_ = new QLabel(tr("Smoothing"));
  widgets::setRole(smoothingLabel_, "muted");
  smoothing_ = new widgets::Slider;
  smoothing_->setRange(0, 999);
  smoothing_->setValue(600);
  smoothing_->setFixedWidth(110);
  smoothing_->setAccessibleName(tr("Smoothing"));
  smoothing_->setToolTip(
      tr("Weight of the moving average, 0 to 0.999 (S: off and on). The raw line stays behind."));
  smoothingText_ = new QLabel;
  widgets::setRole(smoothingText_, "mono");
  smoothingText_->setFixedWidth(40);
  xAxis_ = new QComboBox;
  xAxis_->setAccessibleName(tr("X axis"));
  xAxis_->addItem(tr("x: step"), static_cast<int>(widgets::XAxis::Step));
  xAxis_->addItem(tr("x: epoch"), static_cast<int>(widgets::XAxis::Epoch));
  xAxis_->addItem(tr("x: relative time"), static_cast<int>(widgets::XAxis::Relative));
  xAxis_->addItem(tr("x: wall time"), static_cast<int>(widgets::XAxis::Wall));
  auto* row = new QHBoxLayout(tools_);
  row->setContentsMargins(0, 0, 16, 0);
  row->setSpacing(8);
  row->addWidget(smoothingLabel_);
  row->addWidget(smoothing_);
  row->addWidget(smoothingText_);
  row->addSpacing(8);
  row->addWidget(xAxis_);
}

void MonitorPage::connectSignals() {
  connect(smoothing_, &widgets::Slider::valueChanged, this, [this](int value) {
    smoothingText_->setText(QString::number(value / 1000.0, 'g', 3));
    if (value > 0) lastSmoothing_ = value;
    Q_EMIT smoothingChanged(value / 1000.0);
    updateCurves();
  });
  smoothingText_->setText(QString::number(smoothing(), 'g', 3));
  connect(xAxis_, &QComboBox::currentIndexChanged, this,
          [this] { setXAxis(static_cast<widgets::XAxis>(xAxis_->currentData().toInt())); });
  // The scroll bar takes its width from the margin, so that cards and alert end at one line.
  connect(scroll_->verticalScrollBar(), &QScrollBar::rangeChanged, this, [this](int, int most) {
    const int margin =
        most > 0 ? kMarginPx - scroll_->verticalScrollBar()->sizeHint().width() : kMarginPx;
    layout_->setContentsMargins(kMarginPx, kMarginTopPx, margin, kMarginTopPx);
  });
  connect(redraw_, &widgets::Throttle::due, this, &MonitorPage::updateCurves);
  connect(empty_, &widgets::EmptyState::actionTriggered, this, &MonitorPage::emptyActionTriggered);
  connect(alert_, &AlertBanner::showRequested, this, [this](const protocol::Alert& alert) {
    showAlert(alert);
    Q_EMIT alertsRequested();
  });
}

void MonitorPage::connectCard(widgets::CurveCard* card) {
  connect(card->plot(), &widgets::CurvePlot::cursorMoved, this,
          [this, card](std::optional<double> x) {
            for (widgets::CurveCard* other : cards_) other->plot()->showCursor(x, other == card);
          });
  connect(card->plot(), &widgets::CurvePlot::drawn, this, [this] {
    if (isReady()) Q_EMIT readyChanged();
  });
  connect(card, &widgets::CurveCard::predictionsRequested, this, &MonitorPage::choosePredictionsAt);
  connect(card, &widgets::CurveCard::exportFailed, this, &MonitorPage::exportFailed);
  connect(card, &widgets::CurveCard::expandRequested, this,
          [this, card] { showAlone(alone_ == card ? nullptr : card); });
}

bool MonitorPage::hasPlace(std::size_t card) const {
  const CardPlan& plan = plans_[card];
  const bool hasParts = (!plan.perRank || ranks_ > 1) && (!plan.perGpu || hasOneRun_) &&
                        (!plan.needsGpu || !gpus_.empty());
  return hasParts && (!alone_ || cards_[card] == alone_);
}

void MonitorPage::layOutCards() {
  if (cards_.empty()) return;
  const int width = this->width();
  const int columns = alone_ ? 1 : width >= kFourColumnsPx ? 4 : width >= kTwoColumnsPx ? 2 : 1;
  if (columns == columns_ && !alone_) return;
  columns_ = alone_ ? -1 : columns;
  for (widgets::CurveCard* card : cards_) layout_->removeWidget(card);
  for (int i = 0; i < 16; ++i) {
    layout_->setRowStretch(i, 0);
    layout_->setColumnStretch(i, i < columns ? 1 : 0);
  }
  int row = 0, column = 0;
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    const CardPlan& plan = plans_[i];
    cards_[i]->setVisible(hasPlace(i));
    if (!hasPlace(i)) continue;
    cards_[i]->setMinimumHeight(kSmallCardPx * plan.rowSpan);
    if (alone_) {
      layout_->addWidget(cards_[i], 0, 0);
      layout_->setRowStretch(0, 1);
    } else if (columns == 4) {
      layout_->addWidget(cards_[i], plan.row, plan.column, plan.rowSpan, plan.columnSpan);
      layout_->setRowStretch(plan.row, plan.row < 2 ? 11 : 10);
    } else {
      const int span = std::min(plan.columnSpan, columns);
      layout_->addWidget(cards_[i], row, column, 1, span);
      layout_->setRowStretch(row, i == 0 ? 2 : 1);
      column += span;
      if (column >= columns) {
        column = 0;
        ++row;
      }
    }
  }
}

bool MonitorPage::sharesRunWith(const std::vector<ShownRun>& others) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const ShownRun& own) {
    return std::any_of(others.begin(), others.end(),
                       [&](const ShownRun& other) { return own.run == other.run; });
  });
}

void MonitorPage::setRuns(std::vector<ShownRun> runs) {
  for (const ShownRun& shown : runs_)
    if (shown.run) disconnect(shown.run, nullptr, this, nullptr);
  // A zoom is into what these runs have to show; beside another one they are still there.
  if (!sharesRunWith(runs)) resetViews();
  runs_ = std::move(runs);
  for (const ShownRun& shown : runs_) {
    connect(shown.run, &RunController::historyChanged, redraw_, &widgets::Throttle::request);
    connect(shown.run, &RunController::loaded, this, &MonitorPage::updateCurves);
  }
  const bool any = !runs_.empty();
  if (any && cards_.empty()) {
    buildCards();
    layOutCards();
  }
  if (!any) showWhyEmpty();
  stack_->setCurrentIndex(any ? 0 : 1);
  tools_->setVisible(any);
  std::vector<widgets::RunLegend::Run> legend;
  for (const ShownRun& shown : runs_) legend.push_back({shown.name, shown.styleIndex});
  runLegend_->setRuns(std::move(legend));
  runLegend_->setVisible(runs_.size() > 1);
  updateParts();
  rebuildCurves();
  updateCurves();
  if (isReady()) Q_EMIT readyChanged();
}

void MonitorPage::showWhyEmpty() {
  if (hasListedRuns_) {
    empty_->setContent(tr("Choose a run in the list"),
                       tr("Its curves appear here; several that are chosen are compared."));
  } else {
    empty_->setContent(tr("No run to show"),
                       tr("Curves appear here while a run trains, and stay when it has ended."),
                       tr("Configure an experiment"));
  }
}

void MonitorPage::setHasListedRuns(bool has) {
  hasListedRuns_ = has;
  showWhyEmpty();
}

void MonitorPage::rebuildCurves() {
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    const CardPlan& plan = plans_[i];
    std::vector<widgets::Curve> curves;
    if (plan.perGpu) {
      if (hasOneRun_) curves = curvesOfDevices(plan, runs_.front(), gpus_, axis_);
    } else if (!plan.perRank) {
      curves = curvesOfRuns(plan, runs_, axis_);
    } else if (ranks_ > 1) {
      curves = curvesOfRanks(plan, runs_.front(), ranks_, lateRank_, axis_);
    }
    // Which run is which stands over all cards.
    cards_[i]->setLegendVisible(runs_.size() == 1 ? curves.size() > 1 && !hasShare(plan)
                                                  : plan.curves.size() > 1);
    cards_[i]->setCurves(std::move(curves));
    cards_[i]->plot()->setXAxis(axis_);
  }
}

/// Cards of ranks and of GPUs come with the first record that tells of them, and go with that run,
/// or when it is compared with another. True where others are to be drawn, or another first.
bool MonitorPage::updateParts() {
  const bool hasOneRun = leading() && runs_.size() == 1;
  const int ranks = hasOneRun ? toldRanks(*leading()) : 0;
  std::vector<int> gpus = hasOneRun ? toldGpus(*leading()) : std::vector<int>();
  const std::optional<int> late = ranks > 1 ? lateRank(*leading()) : std::nullopt;
  const bool isOther = late != std::exchange(lateRank_, late);
  const bool isSame = ranks == ranks_ && gpus == gpus_ && hasOneRun == hasOneRun_;
  if (isSame) return isOther;
  ranks_ = ranks;
  gpus_ = std::move(gpus);
  hasOneRun_ = hasOneRun;
  for (std::size_t i = 0; i < cards_.size(); ++i)
    if (cards_[i] == alone_ && !hasPlace(i)) alone_ = nullptr;
  columns_ = 0;
  layOutCards();
  return true;
}

void MonitorPage::updateCurves() {
  if (updateParts()) rebuildCurves();
  updateMarks();
  if (!runs_.empty()) alert_->showAlertOf(runs_.front(), runs_.size() == 1);
  updateAxisNote();
  updateFacts();
  updateXExtent();
  for (widgets::CurveCard* card : cards_) card->refresh();
}

void MonitorPage::updateMarks() {
  if (cards_.empty()) return;
  std::vector<widgets::EventMark> marks;
  if (const RunController* run = leading())
    for (const protocol::Checkpoint& checkpoint : run->history().checkpoints())
      if (const auto x = xOfStep(*run, checkpoint.step, axis_))
        marks.push_back({*x, checkpointText(*run, checkpoint)});
  cards_.front()->plot()->setEventMarks(std::move(marks));
}

/// One x range for all cards, so that a place in one is the same place in the others.
void MonitorPage::updateXExtent() {
  std::optional<std::pair<double, double>> extent;
  for (const ShownRun& shown : runs_) {
    if (!shown.run) continue;
    const MetricCurve steps(shown.run, "train/loss_total", axis_, false);
    if (steps.isEmpty()) continue;
    const auto own = steps.xRange();
    extent =
        extent ? std::pair(std::min(extent->first, own.first), std::max(extent->second, own.second))
               : own;
  }
  for (widgets::CurveCard* card : cards_) card->plot()->setXExtent(extent);
}

/// A run that cannot be drawn over the axis does not leave without a word.
void MonitorPage::updateAxisNote() {
  QStringList names;
  for (const ShownRun& shown : runs_)
    if (shown.run && shown.run->isLoaded() && !hasAxis(*shown.run, axis_)) names.append(shown.name);
  axisNote_->setVisible(!names.isEmpty());
  axisNote_->setText(
      tr("Not drawn over epochs: %1. run.json does not say how many steps an epoch has, as runs of "
         "earlier versions do not: choose another x.")
          .arg(names.join(QStringLiteral(", "))));
}

/// The figures beside the titles: those of the leading run, now.
void MonitorPage::updateFacts() {
  if (!leading()) return;
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    const CardFact fact = cardFact(plans_[i], *leading(), runs_.size() == 1);
    cards_[i]->setSubtitle(fact.text, fact.isWarning);
  }
}

void MonitorPage::setXAxis(widgets::XAxis axis) {
  axis_ = axis;
  rebuildCurves();
  updateCurves();
}

double MonitorPage::smoothing() const { return smoothing_->value() / 1000.0; }
void MonitorPage::setSmoothing(double weight) {
  smoothing_->setValue(static_cast<int>(std::lround(weight * 1000)));
}

/// The step of the leading run there, whichever run's curve lies under the pointer.
void MonitorPage::choosePredictionsAt(double x) {
  const RunController* run = leading();
  if (!run) return;
  if (const auto step = stepAtX(*run, x, axis_)) Q_EMIT predictionsRequested(*step);
}

void MonitorPage::showStep(qint64 step) {
  const RunController* run = leading();
  if (!run) return;
  const auto x = xOfStep(*run, step, axis_);
  for (widgets::CurveCard* card : cards_) card->plot()->showCursor(x, card == cards_.front());
}

void MonitorPage::showAlert(const protocol::Alert& alert) {
  showStep(stepToShow(alert));
  if (alert.kind != "slow_rank") return;
  for (std::size_t i = cards_.size(); i-- > 0;)
    if (plans_[i].perRank && hasPlace(i)) scroll_->ensureWidgetVisible(cards_[i]);
}

bool MonitorPage::isReady() const {
  for (const ShownRun& shown : runs_)
    if (shown.run && !shown.run->isLoaded()) return false;
  if (runs_.empty()) return true;
  return std::all_of(cards_.begin(), cards_.end(), [](const widgets::CurveCard* card) {
    return !card->isVisible() || card->plot()->isUpToDate();
  });
}

const RunController* MonitorPage::leading() const {
  return runs_.empty() ? nullptr : runs_.front().run.data();
}

widgets::CurveCard* MonitorPage::cardUnderPointer() const {
  for (widgets::CurveCard* card : cards_)
    if (card->isVisible() && card->rect().contains(card->mapFromGlobal(QCursor::pos())))
      return card;
  return cards_.front();
}

void MonitorPage::showAlone(widgets::CurveCard* card) {
  alone_ = card;
  columns_ = 0;
  layOutCards();
}

void MonitorPage::toggleFullSize() {
  if (!cards_.empty()) showAlone(alone_ ? nullptr : cardUnderPointer());
}

void MonitorPage::toggleLogY() {
  if (cards_.empty()) return;
  widgets::CurvePlot* plot = cardUnderPointer()->plot();
  plot->setLogY(!plot->isLogY());
}

void MonitorPage::toggleLogX() {
  if (cards_.empty()) return;
  const bool log = !cards_.front()->plot()->isLogX();
  for (widgets::CurveCard* card : cards_) card->plot()->setLogX(log);
}

void MonitorPage::toggleSmoothing() {
  smoothing_->setValue(smoothing_->value() > 0 ? 0 : lastSmoothing_);
}

void MonitorPage::toggleOutliers() {
  if (cards_.empty()) return;
  widgets::CurvePlot* plot = cardUnderPointer()->plot();
  plot->setIgnoreOutliers(!plot->isIgnoringOutliers());
}

void MonitorPage::resetViews() {
  for (widgets::CurveCard* card : cards_) card->plot()->resetView();
}

void MonitorPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  smoothingLabel_->setVisible(width() >= kSpaciousPx);
  smoothing_->setFixedWidth(width() >= kSpaciousPx ? 110 : 70);
  layOutCards();
}

}  // namespace lockstep::app
