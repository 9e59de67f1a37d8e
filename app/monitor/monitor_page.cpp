#include "app/monitor/monitor_page.h"

#include <QApplication>
#include <QLabel>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "app/cards/card_curves.h"
#include "app/cards/card_facts.h"
#include "app/cards/metric_curve.h"
#include "app/cards/tag_sections.h"
#include "app/monitor/advice_section.h"
#include "app/monitor/alert_banner.h"
#include "app/monitor/card_grid.h"
#include "app/monitor/card_sections.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/linked_range.h"
#include "app/monitor/linked_zoom.h"
#include "app/monitor/parameter_section.h"
#include "app/runs/open/evaluation_plan.h"
#include "app/runs/open/run_alerts.h"
#include "engine/events/tags.h"
#include "widgets/empty_state.h"
#include "widgets/export/figure.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/event_marks.h"
#include "widgets/plots/run_legend.h"
#include "widgets/role.h"
#include "widgets/throttle.h"

namespace lockstep::app {
namespace {

constexpr int kNoteMarginPx = 16;
constexpr std::chrono::milliseconds kRedrawInterval{33}, kSearchPause{150};
constexpr int kMaximizedMarginPx = 40;

/// Text of the AP card while it has no points: the reason if a single run is shown.
QString emptyApText(const CardPlan& plan, const std::vector<ShownRun>& runs) {
  const RunController* run = runs.front().run.data();
  if (runs.size() > 1 || !run->isLoaded()) return plan.emptyText;
  if (run->info().isRangeTest) return MonitorPage::tr("A learning-rate range test has no AP");
  return noApText(run->evaluationPlan(), run->info());
}

QString mediaName(events::Media media) {
  switch (media) {
    case events::Media::Images:
      return MonitorPage::tr("images");
    case events::Media::Histograms:
      return MonitorPage::tr("histograms");
    case events::Media::Audio:
      return MonitorPage::tr("audio");
    case events::Media::Texts:
      return MonitorPage::tr("texts");
    case events::Media::Other:
      break;
  }
  return MonitorPage::tr("other values");
}

/// "images (3 tags), histograms (24 tags)"
QString mediaText(const std::map<std::string_view, events::Media>& media) {
  std::map<events::Media, int> counts;
  for (const auto& [tag, kind] : media) ++counts[kind];
  QStringList parts;
  for (const auto& [kind, count] : counts)
    parts << MonitorPage::tr("%1 (%n tag(s))", "", count).arg(mediaName(kind));
  return parts.join(QStringLiteral(", "));
}

/// The end of a range that grows, rounded up to less than a hundredth of it: so that most points
/// that arrive move nothing, and most cards need not be drawn again.
double roundedEnd(std::pair<double, double> range) {
  const double length = range.second - range.first;
  if (length <= 0) return range.second;
  const double quantum = std::exp2(std::ceil(std::log2(length / 256)));
  return range.first + std::ceil(length / quantum) * quantum;
}

}  // namespace

MonitorPage::MonitorPage(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
  setRuns({});
}

void MonitorPage::buildUi() {
  tools_ = new CurveTools;
  zoom_ = new LinkedZoom(this);
  range_ = new LinkedRange(this);
  sections_ = new CardSections;
  scroll_ = new QScrollArea;
  scroll_->setWidgetResizable(true);
  scroll_->setAccessibleName(tr("Cards"));
  scroll_->setWidget(sections_);
  scroll_->setFrameShape(QFrame::NoFrame);
  alert_ = new AlertBanner;
  axisNote_ = new QLabel;
  mediaNote_ = new QLabel;
  mediaNote_->setObjectName(QStringLiteral("mediaNote"));
  for (QLabel* note : {axisNote_, mediaNote_}) {
    note->setWordWrap(true);
    note->setContentsMargins(kNoteMarginPx, 10, kNoteMarginPx, 0);
    widgets::setRole(note, "muted");
    note->hide();
  }
  runLegend_ = new widgets::RunLegend;
  runLegend_->hide();
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(alert_);
  column->addWidget(axisNote_);
  column->addWidget(mediaNote_);
  column->addWidget(runLegend_);
  column->addWidget(scroll_, 1);
  empty_ = new widgets::EmptyState;
  stack_ = new QStackedLayout(this);
  stack_->addWidget(content);
  stack_->addWidget(empty_);
  redraw_ = new widgets::Throttle(kRedrawInterval, this);
}

void MonitorPage::connectSignals() {
  connect(tools_, &CurveTools::smoothingChanged, this, [this](double weight) {
    Q_EMIT smoothingChanged(weight);  // first: card facts use smoothed values
    updateCurves();
  });
  connect(tools_, &CurveTools::xAxisChanged, this, [this](widgets::XAxis axis) {
    axis_ = axis;
    range_->clear();
    rebuildCurves();
    updateCurves();
  });
  // The scroll bar takes its width from the margin, so that cards and alert banner stay aligned.
  QScrollBar* bar = scroll_->verticalScrollBar();
  connect(bar, &QScrollBar::rangeChanged, this, [this, bar](int, int max) {
    sections_->setScrollBarWidth(max > 0 ? bar->sizeHint().width() : 0);
  });
  connect(tools_, &CurveTools::wordsChanged, this, [this] { searchPause_.start(); });
  searchPause_.setSingleShot(true);
  searchPause_.setInterval(kSearchPause);
  connect(&searchPause_, &QTimer::timeout, this, [this] { sections_->setWords(tools_->words()); });
  connect(sections_, &CardSections::cardMade, this, &MonitorPage::takeCard);
  connect(sections_, &CardSections::settingsChanged, this, &MonitorPage::cardSettingsChanged);
  connectPlot(sections_->parameters()->card());
  connect(sections_->advice(), &AdviceSection::forkRequested, this, &MonitorPage::forkRequested);
  connect(sections_->advice(), &AdviceSection::copyRequested, this, &MonitorPage::copyRequested);
  connect(sections_->advice(), &AdviceSection::predictionsRequested, this,
          &MonitorPage::choosePredictionsAt);
  connect(sections_->advice(), &AdviceSection::exportRequested, this,
          &MonitorPage::exportRequested);
  connect(runLegend_, &widgets::RunLegend::toggled, this, &MonitorPage::toggleGroup);
  connect(redraw_, &widgets::Throttle::due, this, [this] {
    updateCurves();
    if (isReady()) Q_EMIT readyChanged();
  });
  connect(empty_, &widgets::EmptyState::actionTriggered, this, &MonitorPage::experimentRequested);
  connect(empty_, &widgets::EmptyState::otherActionTriggered, this, &MonitorPage::scenesRequested);
  connect(alert_, &AlertBanner::showRequested, this, [this](const protocol::Alert& alert) {
    showAlert(alert);
    Q_EMIT alertsRequested();
  });
}

void MonitorPage::connectPlot(widgets::CurveCard* card) {
  zoom_->add(card);
  connect(card->plot(), &widgets::CurvePlot::cursorMoved, this,
          [this, card](std::optional<double> x) { moveCursors(card, x); });
  range_->add(card);
  connect(card->plot(), &widgets::CurvePlot::upToDate, this, [this] {
    if (isReady()) Q_EMIT readyChanged();
  });
  connect(card, &widgets::CurveCard::predictionsRequested, this, &MonitorPage::choosePredictionsAt);
  connect(card, &widgets::CurveCard::exportRequested, this,
          [this, card] { Q_EMIT exportRequested(card); });
}

void MonitorPage::moveCursors(const widgets::CurveCard* pointedAt, std::optional<double> x) {
  sections_->forEachPlot(
      [&](widgets::CurveCard* card) { card->plot()->showCursor(x, card == pointedAt); });
  const RunController* run = currentRun();
  const widgets::CurvePlot* plot = pointedAt->plot();
  const bool isChosen = plot->hasFocus() || plot->isAncestorOf(QApplication::focusWidget());
  if (!run || !x || !isChosen) return;
  if (const auto step = stepAtX(*run, *x, axis_)) Q_EMIT cursorMoved(*step);
}

/// A card that has been made now.
void MonitorPage::takeCard(widgets::CurveCard* card, const CardPlan& plan) {
  connectPlot(card);
  connect(card, &widgets::CurveCard::expandRequested, this, [this, card] { maximize(card); });
  const QString id = cardId(plan);
  // An evaluation is a point of the validation curve anyway.
  card->setHidden(
      hiddenCurves_.value(id, {widgets::markName(widgets::EventMark::Kind::Evaluation)}));
  connect(card, &widgets::CurveCard::hiddenChanged, this,
          [this, card, id] { keepHiddenOf(card, id); });
  giveCurves(card, plan);
  card->plot()->setXExtent(xExtent_);
}

const std::vector<widgets::CurveCard*>& MonitorPage::cards() const {
  return sections_->grid()->cards();
}

bool MonitorPage::sharesRunWith(const std::vector<ShownRun>& others) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const ShownRun& own) {
    return std::any_of(others.begin(), others.end(),
                       [&](const ShownRun& other) { return own.run == other.run; });
  });
}

void MonitorPage::setRuns(std::vector<ShownRun> runs) {
  for (const ShownRun& shown : runs_)
    if (shown.run) disconnect(shown.run, nullptr, redraw_, nullptr);
  // Keep the zoom while at least one of the runs is still shown.
  if (!sharesRunWith(runs)) {
    resetViews();
    range_->clear();
  }
  runs_ = std::move(runs);
  hasOtherRuns_ = true;
  for (const ShownRun& shown : runs_) {
    connect(shown.run, &RunController::changed, redraw_, &widgets::Throttle::request);
    connect(shown.run, &RunController::loaded, redraw_, &widgets::Throttle::request);
  }
  const bool any = !runs_.empty();
  if (any && cards().empty()) {
    // Created with the first run, so that an empty window opens faster.
    sections_->makeCards();
  }
  if (!any) updateEmptyState();
  stack_->setCurrentIndex(any ? 0 : 1);
  tools_->setVisible(any);
  updateRunLegend();
  updateScope();
  updateTags();
  rebuildCurves();
  updateCurves();
  if (isReady()) Q_EMIT readyChanged();
}

void MonitorPage::updateEmptyState() {
  if (hasListedRuns_) {
    empty_->setContent(tr("Select a run in the list"),
                       tr("Its curves appear here. Select several runs to compare them."));
  } else {
    empty_->setContent(tr("No run to show"),
                       tr("Curves appear here while a run trains and remain after it ends."),
                       tr("New experiment…"), tr("Try it with synthetic data"));
  }
}

void MonitorPage::setHasListedRuns(bool has) {
  if (has == std::exchange(hasListedRuns_, has)) return;
  updateEmptyState();
}

void MonitorPage::rebuildCurves() {
  sections_->forEachCard(
      [this](widgets::CurveCard* card, const CardPlan& plan) { giveCurves(card, plan); });
  sections_->parameters()->setRuns(runs_, axis_);
}

/// A pinned card is there twice.
void MonitorPage::keepHiddenOf(const widgets::CurveCard* card, const QString& id) {
  hiddenCurves_[id] = card->hidden();
  sections_->forEachCard([&](widgets::CurveCard* other, const CardPlan& plan) {
    if (cardId(plan) == id) other->setHidden(card->hidden());
  });
}

void MonitorPage::giveCurves(widgets::CurveCard* card, const CardPlan& plan) {
  std::vector<widgets::Curve> curves = curvesOfCard(plan, visibleGroups(), scope_, axis_);
  // With several runs, the legend of runs is above all cards.
  const bool isOfKinds = plan.curves.size() > 1;
  const bool isOnly = runs_.size() == 1;
  card->setLegendVisible(isOfKinds || (isOnly && curves.size() > 1));
  const bool areHidden = !runs_.empty() && visibleRuns().empty();
  card->setHiddenText(areHidden ? tr("All runs are hidden: click one above the cards to show it")
                                : QString());
  card->setCurves(std::move(curves));
  card->plot()->setXAxis(axis_);
}

/// Of all shown runs, each once, when one of them has a new one.
void MonitorPage::updateTags() {
  std::size_t count = 0;
  for (const ShownRun& shown : runs_)
    if (shown.run) count += shown.run->history().metrics().tags().size();
  if (count == std::exchange(tagCount_, count) && !hasOtherRuns_) return;
  hasOtherRuns_ = false;
  std::vector<std::string> tags;
  std::unordered_set<std::string_view> seen;
  for (const ShownRun& shown : runs_) {
    if (!shown.run) continue;
    for (const std::string& tag : shown.run->history().metrics().tags())
      if (seen.insert(tag).second) tags.push_back(tag);
  }
  sections_->setTags(std::move(tags));
}

TagCards* MonitorPage::section(const QString& name) const { return sections_->section(name); }
ParameterSection* MonitorPage::parameters() const { return sections_->parameters(); }
const CardSettings& MonitorPage::cardSettings() const { return sections_->settings(); }

void MonitorPage::setCardSettings(const CardSettings& settings) {
  const bool joined = cardSettings().joinsGroups;
  sections_->setSettings(settings);
  if (settings.joinsGroups != joined) showOthers();
}

/// True if the cards' curves have to be rebuilt.
bool MonitorPage::updateScope() {
  const bool hasOneRun = currentRun() && runs_.size() == 1;
  const bool hasMasks = std::any_of(runs_.begin(), runs_.end(), [](const ShownRun& shown) {
    return shown.run && shown.run->evaluationPlan().hasMasks;
  });
  CardScope scope = cardScope(hasOneRun ? &currentRun()->history().metrics() : nullptr, hasMasks);
  scope.isForeign = !runs_.empty() && std::ranges::all_of(runs_, [](const ShownRun& shown) {
    return shown.run && shown.run->program();
  });
  if (scope == scope_) return false;
  scope_ = scope;
  sections_->setScope(scope);
  return true;
}

void MonitorPage::updateCurves() {
  updateTags();
  if (updateScope()) rebuildCurves();
  updateMarks();
  if (!runs_.empty()) alert_->showAlertOf(runs_.front(), runs_.size() == 1);
  sections_->advice()->showAdviceOf(runs_.empty() ? std::nullopt : std::optional(runs_.front()),
                                    axis_);
  updateAxisNote();
  updateMediaNote();
  updateFacts();
  updateXExtent();
  sections_->forEachCard([](widgets::CurveCard* card, const CardPlan&) { card->refresh(); });
  sections_->parameters()->refresh();
  applyKeptView();
}

void MonitorPage::updateMarks() {
  if (!cards().empty()) cards().front()->setEventMarks(marks_.of(visibleRuns(), axis_));
}

/// Gives all cards the same x range.
void MonitorPage::updateXExtent() {
  std::optional<std::pair<double, double>> extent;
  bool isLive = false;
  for (const ShownRun& shown : runs_) {
    if (!shown.run) continue;
    isLive = isLive || shown.run->isAlive();
    const MetricCurve steps(shown.run, events::tags::kTrainTotalLoss, axis_, false);
    if (steps.isEmpty()) continue;
    const auto own = steps.xRange();
    extent =
        extent ? std::pair(std::min(extent->first, own.first), std::max(extent->second, own.second))
               : own;
  }
  if (extent && isLive) extent->second = roundedEnd(*extent);
  xExtent_ = extent;
  sections_->forEachPlot([&](widgets::CurveCard* card) { card->plot()->setXExtent(extent); });
}

/// Names the runs that cannot be drawn over the x axis.
void MonitorPage::updateAxisNote() {
  QStringList names;
  for (const ShownRun& shown : runs_)
    if (shown.run && shown.run->isLoaded() && !hasAxis(*shown.run, axis_)) names.append(shown.name);
  axisNote_->setVisible(!names.isEmpty());
  const QString text =
      axis_ == widgets::XAxis::Images
          ? tr("Not shown by images: %1. solver.batch_size is not known, because the run has no "
               "config.yaml that can be read: choose another x axis.")
          : tr("Not shown by epoch: %1. The run.json of earlier versions does not record "
               "the steps per epoch: choose another x axis.");
  axisNote_->setText(text.arg(names.join(QStringLiteral(", "))));
}

void MonitorPage::updateMediaNote() {
  std::map<std::string_view, events::Media> media;
  for (const ShownRun& shown : runs_)
    if (shown.run) media.insert(shown.run->media().begin(), shown.run->media().end());
  mediaNote_->setVisible(!media.empty());
  if (media.empty()) return;
  mediaNote_->setText(tr("Not shown here: %1. TensorBoard shows them.").arg(mediaText(media)));
}

/// Updates the texts beside the card titles and that of an empty AP card, of the current run.
void MonitorPage::updateFacts() {
  if (!currentRun()) return;
  for (std::size_t i = 0; i < cards().size(); ++i) {
    const CardPlan& plan = sections_->grid()->plans()[i];
    const CardFact fact = cardFact(plan, currentRun()->history().metrics(), runs_.size() == 1);
    cards()[i]->setSubtitle(fact.text, fact.isWarning);
    if (isApCard(plan)) cards()[i]->setEmptyText(emptyApText(plan, runs_));
  }
}

/// The step is of the current run, also when another run's curve is under the pointer.
void MonitorPage::choosePredictionsAt(double x) {
  const RunController* run = currentRun();
  if (!run) return;
  if (const auto step = stepAtX(*run, x, axis_)) Q_EMIT predictionsRequested(*step);
}

void MonitorPage::showStep(qint64 step) {
  const RunController* run = currentRun();
  if (!run) return;
  const auto x = xOfStep(*run, step, axis_);
  sections_->forEachPlot([&](widgets::CurveCard* card) {
    card->plot()->showCursor(x, !cards().empty() && card == cards().front());
  });
}

void MonitorPage::showAlert(const protocol::Alert& alert) {
  if (cards().empty() || !currentRun()) return;
  widgets::CurveCard* shown = cards().front();
  const auto x = xOfStep(*currentRun(), stepToShow(alert), axis_);
  const auto [low, high] = shown->plot()->xView();
  if (x && (*x < low || *x > high)) resetViews();
  showStep(stepToShow(alert));
  if (alert.kind == protocol::AlertKind::SlowRank)
    for (std::size_t i = cards().size(); i-- > 0;)
      if (sections_->grid()->plans()[i].perRank && sections_->grid()->isShown(cards()[i]))
        shown = cards()[i];
  scroll_->ensureWidgetVisible(shown);
}

bool MonitorPage::isReady() const {
  for (const ShownRun& shown : runs_)
    if (shown.run && !shown.run->isLoaded()) return false;
  if (runs_.empty()) return true;
  if (redraw_->isPending()) return false;
  bool isUpToDate = true;
  sections_->forEachPlot([&](const widgets::CurveCard* card) {
    isUpToDate = isUpToDate && (!card->isVisible() || card->plot()->isUpToDate());
  });
  return isUpToDate;
}

const RunController* MonitorPage::currentRun() const {
  return runs_.empty() ? nullptr : runs_.front().run.data();
}

void MonitorPage::toggleMaximized() {
  if (!cards().empty()) maximize(sections_->cardUnderPointer());
}

bool MonitorPage::endMaximized() {
  if (!sections_->hasMaximized()) return false;
  maximize(nullptr);
  return true;
}

void MonitorPage::maximize(widgets::CurveCard* card) {
  sections_->toggleMaximized(card, scroll_->viewport()->height() - kMaximizedMarginPx);
}

void MonitorPage::toggleLogY() {
  if (cards().empty()) return;
  widgets::CurvePlot* plot = sections_->cardUnderPointer()->plot();
  plot->setLogY(!plot->isLogY());
}

void MonitorPage::toggleLogX() {
  if (cards().empty()) return;
  const bool log = !cards().front()->plot()->isLogX();
  sections_->forEachPlot([log](widgets::CurveCard* card) { card->plot()->setLogX(log); });
}

void MonitorPage::toggleOutliers() {
  if (cards().empty()) return;
  widgets::CurvePlot* plot = sections_->cardUnderPointer()->plot();
  plot->setIgnoreOutliers(!plot->isIgnoringOutliers());
}

void MonitorPage::resetViews() { zoom_->reset(); }

std::vector<widgets::CurveCard*> MonitorPage::shownCards() const {
  std::vector<widgets::CurveCard*> shown;
  sections_->forEachPlot([&](widgets::CurveCard* card) {
    if (card->isVisibleTo(sections_) && card->plot()->hasPoints()) shown.push_back(card);
  });
  const auto placeOf = [this](const widgets::CurveCard* card) {
    const QPoint place = card->mapTo(sections_, QPoint());
    return std::pair(place.y(), place.x());
  };
  std::ranges::stable_sort(shown, {}, placeOf);
  return shown;
}

widgets::Figure MonitorPage::figureOf(const std::vector<widgets::CurveCard*>& cards,
                                      widgets::FigureContent content) const {
  widgets::Figure figure;
  for (const RunGroup& group : visibleGroups())
    figure.runs.push_back({group.name, group.styleIndex});
  for (const widgets::CurveCard* card : cards)
    figure.plots.push_back(widgets::figurePlot(card->plot()->view(), card->title(), cards.size(),
                                               content, card->plot()->eventMarks()));
  return figure;
}

QWidget* MonitorPage::cardArea() const { return scroll_->viewport(); }

void MonitorPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  sections_->fitWidth(width());
}

}  // namespace lockstep::app
